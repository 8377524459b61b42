import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { DatabaseSource } from "../../db/open-database.js";
import { metadataPicker } from "../boundary/parse-config.js";
import { parseSaverOptions } from "../boundary/parse-options.js";
import { parseSerializer } from "../boundary/parse-serializer.js";
import { openTables } from "./saver-tables.js";
import { SizeCheck } from "../codec/size-check.js";
import type { WritableTables } from "./write-rules.js";

/** What the methods of a saver work with. */
export interface SaverContext {
  readonly tables: WritableTables;
  /** As the saver was made; its own `serde` is what counts. */
  readonly serde: SerializerProtocol;
  readonly sizeCheck: SizeCheck;
  /** Picks what of a run's config belongs into the metadata of its checkpoints. */
  readonly metadataOf: (config: unknown) => Record<string, unknown>;
  /** Aborts when the saver is closed. */
  readonly ended: AbortController;
}

/**
 * Makes sense of the arguments of a saver's constructor. Nothing is sent yet.
 *
 * @throws InvalidConfigError for a source, a serializer or an option that can't be used.
 */
export function openContext(
  source: DatabaseSource,
  serde: SerializerProtocol | undefined,
  options: unknown,
): SaverContext {
  const checkedSerde = parseSerializer(serde);
  const parsed = parseSaverOptions(options);
  return {
    tables: openTables(source, parsed),
    serde: checkedSerde,
    sizeCheck: new SizeCheck(parsed),
    metadataOf: metadataPicker(parsed.metadataFromConfig),
    ended: new AbortController(),
  };
}
