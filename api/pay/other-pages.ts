// The pages that show no payment. Each has one text for all reasons, so that it gives none away.

import type { Language, Translated } from '../../domain/language';
import { markup } from '../../domain/markup';
import { badge, renderDocument } from './document';
import { WORDS } from './words';

export interface OtherPages {
  /** For codes that are malformed, unknown, or not to be shown. */
  readonly unknown: string;
  /** When the payment cannot be read: the database is down, or we have a bug. */
  readonly trouble: string;
  readonly method: string;
  readonly too_many: string;
}

export const OTHER_PAGES: Translated<OtherPages> = { en: render('en'), fr: render('fr') };

interface Texts {
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

function render(language: Language): OtherPages {
  const words = WORDS[language];
  const renderPage = (icon: 'question' | 'trouble', { title, heading, text }: Texts): string =>
    renderDocument({
      language,
      other_language: language === 'en' ? '?lang=fr' : '?lang=en',
      title,
      content: markup`${badge(icon, 'quiet')}
<h1>${heading}</h1>
<p class="status" role="status">${text}</p>`,
    });
  const { unknown, broken, method, too_many } = words;
  return {
    unknown: renderPage('question', {
      ...{ title: words.unknown_title, heading: unknown, text: words.unknown_text },
    }),
    trouble: renderPage('trouble', {
      ...{ title: words.broken_title, heading: broken, text: words.broken_text },
    }),
    method: renderPage('question', {
      ...{ title: words.method_title, heading: method, text: words.method_text },
    }),
    too_many: renderPage('question', {
      ...{ title: words.too_many_title, heading: too_many, text: words.too_many_text },
    }),
  };
}
