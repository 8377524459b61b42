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

/** The exit codes of the command line. They are part of its interface; every `--help` lists them. */
export const EXIT_CODE = {
  /** The command succeeded, or the answer is yes. */
  ok: 0,
  /** The command failed, or the answer is no. */
  no: 1,
  /** The command line is invalid. Nothing was run. */
  usage: 2,
  /** The command has done what it could, and names the threads that it left. */
  left: 3,
  /** A signal ended the command. Shells report this code for Ctrl-C. */
  interrupted: 130,
} as const;

/** One of {@link EXIT_CODE}. */
export type ExitCode = (typeof EXIT_CODE)[keyof typeof EXIT_CODE];

/** The text about exit codes in `--help`. */
export const EXIT_CODE_HELP = `Exit codes:
  0    success, or the answer is yes
  1    failure, or the answer is no
  2    invalid usage; nothing was run
  3    done, except for threads that are named and were left: damaged, deleted or different ones
  130  interrupted by Ctrl-C or SIGTERM`;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** An emitter of signals. `process` fits. */
export interface SignalSource {
  once(event: NodeJS.Signals, listener: () => void): unknown;
}

/**
 * Returns a signal that aborts at the first Ctrl-C, SIGTERM or SIGHUP, so that a command can stop cleanly and report what it
 * did. A second signal of the same kind ends the process at once, which is Node's default.
 */
export function interruptSignal(source: SignalSource): AbortSignal {
  const controller = new AbortController();
  for (const name of SIGNALS) {
    source.once(name, () => {
      controller.abort();
    });
  }
  return controller.signal;
}
