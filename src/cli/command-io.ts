/** Where a command prints to. */
export interface OutputStream {
  write(text: string): unknown;
  /** Whether a person is looking; `undefined` where the stream is a file or a pipe. */
  readonly isTTY?: boolean | undefined;
  /** How many characters a line has room for. */
  readonly columns?: number | undefined;
}

/** What the command line has of the world; `process` is one. */
export interface CommandIO {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}
