import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { openDatabase } from "../db/open-database.js";
import type { DatabaseSource } from "../db/opened-database.js";
import { RowSecurityCheck } from "../db/row-security.js";
import { checkedSerializer } from "../serde/layers/checked-serializer.js";
import { MsgpackSerializer } from "../serde/msgpack/msgpack-serializer.js";
import { ValueMemory } from "../splices/value-memory.js";
import { Telemetry } from "../telemetry/telemetry.js";
import { metadataPicker } from "./boundary/parse-config.js";
import { parseSaverOptions, type SaverOptions } from "./boundary/parse-options.js";
import { SizeCheck } from "./codec/size-check.js";
import { openGroups } from "./open-groups.js";
import type { SaverCall } from "./call/saver-call.js";

/** What the methods of a saver work with. */
export interface OpenedSaver {
  /** The context that each call of the saver starts from. */
  readonly call: SaverCall;
  /** The serializer that the constructor was given. Methods use the saver's own `serde`, which a caller may replace. */
  readonly serde: SerializerProtocol;
  readonly sizeCheck: SizeCheck;
  /** Picks the parts of a run's config that its checkpoints keep in their metadata. */
  readonly metadataOf: (config: unknown) => Record<string, unknown>;
  /** Aborts when the saver is closed. */
  readonly ended: AbortController;
}

/**
 * Checks the arguments of a saver's constructor. It sends nothing.
 *
 * @param keepsNewest - Whether each `put` deletes the older checkpoints of its namespace.
 * @throws InvalidConfigError for an invalid source, serializer or option.
 */
export function openSaver(
  source: DatabaseSource,
  serde: SerializerProtocol | undefined,
  options: unknown,
  keepsNewest = false,
): OpenedSaver {
  // By default in Python's layout. Refuses anything else than a serializer, such as the options in its place.
  const checkedSerde = checkedSerializer(serde ?? new MsgpackSerializer());
  const parsed = parseSaverOptions(options);
  return {
    call: openCall(source, parsed, keepsNewest),
    serde: checkedSerde,
    sizeCheck: new SizeCheck(parsed),
    metadataOf: metadataPicker(parsed.metadataFromConfig),
    ended: new AbortController(),
  };
}

function openCall(source: DatabaseSource, options: SaverOptions, keepsNewest: boolean): SaverCall {
  const { prepare, schema, retry, statementTimeoutMs, tenantId, concurrency, keepTombstones } = options;
  const database = openDatabase(source, {
    prepare,
    onConnectionLost: (error) => {
      telemetry.connectionLost(error);
    },
  });
  const telemetry = new Telemetry({
    logger: options.logger,
    address: database.address,
    threadIds: options.telemetry?.threadIds,
  });
  const rowSecurity = tenantId === undefined ? undefined : new RowSecurityCheck();
  const memory = options.splices ? new ValueMemory(options.spliceMemoryBytes, telemetry) : undefined;
  const policy = {
    retry,
    statementTimeoutMs,
    tenantId,
    rowSecurity,
    concurrency,
    keepTombstones,
    keepsNewest,
    memory,
    followsChains: options.splices,
  };
  const call = { database, schema, telemetry, policy: { ...policy, notifies: options.notify } };
  return options.grouping ? { ...call, ...openGroups(call) } : call;
}
