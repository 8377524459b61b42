/** A refusal whose words are meant for the page. */
export class RefusedError extends Error {
  override name = "RefusedError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
