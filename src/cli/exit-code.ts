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
