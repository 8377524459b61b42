/** An answer of the inspector that is an error. */
export class ServerError extends Error {
  /** The code of the error, such as `THREAD_DELETED`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The application has answered instead of the inspector, since the session of the person has ended. Nothing was done. */
export class SignedOutError extends ServerError {
  /** @param reason - What the inspector itself says about it. */
  constructor(reason?: string) {
    super("SIGNED_OUT", `You are signed out${reason === undefined ? "" : `: ${reason}`}.`);
  }
}

/** The status of a parser of bodies, or of a proxy, for a request that is too long for it. The inspector says so by an error of its own. */
const TOO_LONG = 413;

/** Something else than the inspector has answered, such as a proxy whose service is down. */
export class ForeignAnswerError extends Error {
  constructor(status: number) {
    super(
      status === TOO_LONG
        ? "What is in front of the inspector takes only shorter requests (status 413). Mount the inspector before express.json(), which takes 100 kB; a proxy may have such a bound too."
        : `The server has answered with the status ${status}, and not as the inspector does.`,
    );
  }
}

/** A part of the page is not on the server, though the inspector answers: another version of it runs. */
export class OutdatedPageError extends Error {
  constructor() {
    super("This part of the page is not there any more. The inspector has been updated: reload the page.");
  }
}
