declare module 'js-yaml' {
  /** YAML 1.1 without tags that run code; merges `<<`. */
  export function safeLoad(text: string): unknown;
}
