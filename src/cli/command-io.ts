/** Where a command prints to. */
export interface OutputStream {
  /** @returns `false` where it is better to wait for `drain` before more is written. */
  write(text: string): unknown;
  /** Whether a person is looking; `undefined` where the stream is a file or a pipe. */
  readonly isTTY?: boolean | undefined;
  /** How many characters a line has room for. */
  readonly columns?: number | undefined;
  on?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

/** Where a command reads from. */
export type InputStream = NodeJS.ReadableStream & {
  /** Whether a person is typing. */
  readonly isTTY?: boolean | undefined;
};

/** What the command line has of the world; `process` is one. */
export interface CommandIO {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Where answers and backups come from. Default: nowhere. */
  readonly stdin?: InputStream | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the user has had enough; see `interruptSignal`. Default: never. */
  readonly signal?: AbortSignal | undefined;
}
