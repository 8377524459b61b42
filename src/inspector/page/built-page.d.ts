/** A file of the built page. */
export interface BuiltFile {
  /** Its media type. */
  readonly type: string;
  /** Its content, compressed, as Base64. */
  readonly gzip: string;
}

/** The files of the built page by name. */
export declare const files: Readonly<Record<string, BuiltFile>>;
