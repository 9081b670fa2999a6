// The note of a page that updates by itself. While the page is seen its script fetches the page again and takes over
// the parts marked `data-live-part` that differ (dashboard.js); people type nothing there. Without a script the note
// is a link to load the page again.

import { shownOf } from './forms';
import { useFrame } from './frame';

/**
 * A page that is over for good leaves the note out. `data-live` says what the page shows: a person who has switched
 * the language, account or environment in another tab gets no parts of another page into this one.
 */
export function LiveNote() {
  const { language, path, session, words } = useFrame();
  return (
    <p class="hint" data-live={`${language} ${session && shownOf(session)}`}>
      <span data-live-on hidden>
        {words.updates}
      </span>
      <span data-live-off>
        <a href={path}>{words.reload}</a>
      </span>
    </p>
  );
}
