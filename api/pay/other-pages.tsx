// The pages that show no payment. Each has one text for all reasons, so that it gives none away.

import type { Language, Translated } from '../../domain/language';
import { Badge, renderDocument } from './document';
import { WORDS } from './words';

export interface OtherPages {
  /** The page of codes that are malformed, unknown, or not to be shown. */
  readonly unknown: string;
  /** The page when the payment cannot be read: the database is down, or we have a bug. */
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
  const renderOne = (icon: 'question' | 'trouble', { title, heading, text }: Texts): string =>
    renderDocument({
      language,
      other_language: language === 'en' ? '?lang=fr' : '?lang=en',
      title,
      content: (
        <>
          <Badge icon={icon} tone="quiet" />
          <h1>{heading}</h1>
          <p class="status" role="status">
            {text}
          </p>
        </>
      ),
    });
  return {
    unknown: renderOne('question', {
      title: words.unknown_title,
      heading: words.unknown,
      text: words.unknown_text,
    }),
    trouble: renderOne('trouble', {
      title: words.broken_title,
      heading: words.broken,
      text: words.broken_text,
    }),
    method: renderOne('question', {
      title: words.method_title,
      heading: words.method,
      text: words.method_text,
    }),
    too_many: renderOne('question', {
      title: words.too_many_title,
      heading: words.too_many,
      text: words.too_many_text,
    }),
  };
}
