import { createHash } from "node:crypto";

/**
 * Which SQL texts are sent as prepared statements, and under which name. A text that is not registered (a migration's,
 * a caller's own) goes unnamed, so that what a connection keeps is bounded by the number of our own statements.
 */
export class NamedStatements {
  readonly #nameByText = new Map<string, string>();

  /** Has `text` sent as a prepared statement from now on. */
  register(text: string): void {
    if (this.#nameByText.has(text)) return;
    // By content, since two savers may share a connection and pg refuses one name for two texts.
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 24);
    this.#nameByText.set(text, `checkpoint_${digest}`);
  }

  /** The name that `text` is prepared under, where it is. */
  nameOf(text: string): string | undefined {
    return this.#nameByText.get(text);
  }
}
