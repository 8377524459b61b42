import type { ContextualSerializer } from "../../serde/serde-context.js";

/** How values are encrypted or compressed. */
export interface Sealing {
  readonly serde: ContextualSerializer;
  /** The keys of a value that are also stored in clear text, so that filters and searches by text find them. */
  readonly visibleKeys: ReadonlySet<string>;
}
