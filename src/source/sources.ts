import type { ByteSource } from '../bytes/source.ts';
import { openHttp } from './http.ts';
import { type OpenSource, type SourceContext, SourceError, type SourceRequest } from './source.ts';

/** Every kind of source that can be read, and what reads it. */
export const SOURCES: Readonly<Partial<Record<SourceRequest['kind'], OpenSource>>> = {
  http: openHttp,
};

/** Opens the request's file by its kind. Throws SourceError. */
export async function openSource(request: SourceRequest, context: SourceContext): Promise<ByteSource> {
  const open = SOURCES[request.kind];
  if (open === undefined) throw new SourceError('unsupported');
  return open(request, context);
}
