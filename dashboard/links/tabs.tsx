// The way between the pages about what customers pay.

import { useFrame } from '../frame';
import { Link } from '../parts';

/** Links for one payment, links for any number of them, and payments that are disputed. */
export function LinkTabs({ current }: { readonly current: string }) {
  const { words } = useFrame();
  return (
    <nav class="tabs wrapping" aria-label={words.links}>
      {(
        [
          ['/links', words.links],
          ['/reusable-links', words.reusable_links],
          ['/disputes', words.disputes],
        ] as const
      ).map(([path, label]) => (
        <Link to={path} current={path === current}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
