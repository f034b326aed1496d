import type { ByteSource } from '../bytes/source.ts';
import { openGcs } from './gcs.ts';
import { openHttp } from './http.ts';
import { openRegistry } from './registry.ts';
import { openS3 } from './s3.ts';
import type { OpenSource, SourceContext, SourceRequest } from './source.ts';

/** Every kind of source that can be read, and what reads it. */
export const SOURCES: Readonly<Record<SourceRequest['kind'], OpenSource>> = {
  http: openHttp,
  s3: openS3,
  gcs: openGcs,
  registry: openRegistry,
};

/** Opens the request's file by its kind. Throws SourceError. */
export function openSource(request: SourceRequest, context: SourceContext): Promise<ByteSource> {
  return SOURCES[request.kind](request, context);
}
