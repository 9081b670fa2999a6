// The part of pngjs that we use, which has no types of its own.

declare module 'pngjs' {
  /** Four bytes a pixel: red, green, blue, alpha. */
  export class PNG {
    constructor(options: { readonly width: number; readonly height: number });
    readonly width: number;
    readonly height: number;
    readonly data: Buffer;
    static readonly sync: {
      /** @throws Error for whatever is no PNG */
      read(file: Buffer): PNG;
      write(picture: PNG): Buffer;
    };
  }
}
