/** How the command ends; part of its interface, and told by every `--help`. */
export const EXIT_CODE = {
  /** What was asked for was done, or the answer is yes. */
  ok: 0,
  /** The answer is no, or the operation failed. */
  no: 1,
  /** The command line makes no sense; nothing was tried. */
  usage: 2,
  /** The user or the system has ended it by a signal. What a shell reports for Ctrl-C. */
  interrupted: 130,
} as const;

/** One of {@link EXIT_CODE}. */
export type ExitCode = (typeof EXIT_CODE)[keyof typeof EXIT_CODE];

/** The same for people. */
export const EXIT_CODE_HELP = `Exit codes:
  0    done, or the answer is yes
  1    the operation failed, or the answer is no
  2    wrong usage; nothing was tried
  130  interrupted, by Ctrl-C or SIGTERM`;
