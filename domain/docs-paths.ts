// The paths of the documents, under the service's own origin.

export const REFERENCE_PATH = '/docs';
export const ERROR_DOCS_PATH = '/docs/errors';

export function errorDocsUrl(public_url: string): string {
  return public_url + ERROR_DOCS_PATH;
}
