/** A stream that a command prints to. */
export interface OutputStream {
  /** @returns `false` if the caller should wait for `drain` before it writes more. */
  write(text: string): unknown;
  /** Whether the stream is a terminal; `undefined` for a file or a pipe. */
  readonly isTTY?: boolean | undefined;
  /** The width of the terminal, in characters. */
  readonly columns?: number | undefined;
  on?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

/** A stream that a command reads from. */
export type InputStream = NodeJS.ReadableStream & {
  /** Whether the stream is a terminal. */
  readonly isTTY?: boolean | undefined;
};

/** What a command line runs with. `process` fits most of it. */
export interface CommandIO {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Answers to questions, and backups to import. Default: none. */
  readonly stdin?: InputStream | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the user interrupts the command; see `interruptSignal`. Default: never. */
  readonly signal?: AbortSignal | undefined;
  /** Imports a module of the user by its URL. It comes from outside, because `import` is `require` in the CommonJS build, which can't load every module. */
  readonly importModule: (url: string) => Promise<unknown>;
}
