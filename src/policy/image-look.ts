import type { ImageFacts } from '../image/image.ts';

/** What looking at a volume's image brought: facts, or the coded reason why there are none. */
export type ImageLook =
  | {
      readonly kind: 'image';
      readonly facts: ImageFacts;
      /** D: bytes of the file as served; null where its server does not say. */
      readonly storedSize: bigint | null;
    }
  | {
      readonly kind: 'unknown';
      /** A SourceFailureCode, or `disabled`. */
      readonly code: string;
      /** A few words for the requester, who may know them. */
      readonly detail: string;
    };
