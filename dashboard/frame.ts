// The visit, for every component of a page: the reader's language, and the fields that forms carry.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionRow } from '../db/people/sessions';
import type { Language } from '../domain/language';
import type { Faults, Flash } from './context';
import { WORDS } from './words';

export interface Frame {
  readonly language: Language;
  readonly session: SessionRow | undefined;
  /** Proves that a form came from a page of this browser's session. */
  readonly form_token: string;
  /** The notice that is shown once, above the content. */
  readonly flash: Flash | undefined;
  /** The page's path with its query, for links that come back to it. */
  readonly path: string;
  /** Its forms carry this on beside their fields (forms.tsx). */
  readonly draft?: string | undefined;
  readonly page?: string | undefined;
  /** The fields of a form that came too late for its session. */
  readonly kept?: URLSearchParams | undefined;
  /** The form that this page answers, and where it was sent. */
  readonly sent?: URLSearchParams | undefined;
  readonly sent_to: string;
  readonly faults?: Faults | undefined;
}

export const FrameContext = createContext<Frame | undefined>(undefined);

export function useFrame(): Frame & { readonly words: (typeof WORDS)['en'] } {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error('A component was rendered outside of a page.');
  return { ...frame, words: WORDS[frame.language] };
}

export const BASE_PATH = '/dashboard';

/** The URL of a page: `/keys` is `/dashboard/keys`. */
export function href(path: string): string {
  return BASE_PATH + path.replace(/^\/(?=\?|$)/, '');
}
