import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { openCall } from "../db/open-call.js";
import type { DatabaseSource } from "../db/opened-database.js";
import { InvalidConfigError } from "../errors/index.js";
import { TABLES_OF_TENANTS } from "../db/tenant.js";
import { checkedSerializer } from "../serde/serializer-layer.js";
import { MsgpackSerializer } from "../serde/msgpack/msgpack-serializer.js";
import { type MemoryListener, ValueMemory } from "../splices/value-memory.js";
import { metadataPicker } from "./boundary/parse-config.js";
import { parseSaverOptions, type SaverOptions } from "./boundary/parse-options.js";
import { ClockRule } from "./clock/clock-rule.js";
import { SizeCheck } from "./codec/call-size.js";
import { openGroups } from "./open-groups.js";
import { defineInstruments } from "../telemetry/instruments.js";
import type { SaverCall } from "./call/saver-call.js";

const spliceInstruments = defineInstruments((meter) => ({
  lookups: meter.createCounter("langgraph.checkpoint.splice.lookups", {
    description:
      "Long values that were stored, by outcome: hit or miss, whether the value before was remembered.",
    unit: "{value}",
  }),
  memory: meter.createUpDownCounter("langgraph.checkpoint.splice.memory", {
    description: "Bytes of values that are remembered to store the next ones as splices.",
    unit: "By",
  }),
}));

/** Counts how the memory of a saver with splices is used. */
const spliceMetrics: MemoryListener = {
  onLookup: (isHit) => {
    spliceInstruments()?.lookups.add(1, { "langgraph.checkpoint.outcome": isHit ? "hit" : "miss" });
  },
  onResize: (bytes) => {
    spliceInstruments()?.memory.add(bytes);
  },
};

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
 * @param keepLast - How many checkpoints of a namespace the saver keeps, where its class decides that. Default: as the options say.
 * @throws InvalidConfigError for an invalid source, serializer or option.
 */
export function openSaver(
  source: DatabaseSource,
  serde: SerializerProtocol | undefined,
  options: unknown,
  keepLast?: number,
): OpenedSaver {
  // By default in Python's layout. Refuses anything else than a serializer, such as the options in its place.
  const checkedSerde = checkedSerializer(serde ?? new MsgpackSerializer());
  const parsed = parseSaverOptions(options);
  if (keepLast !== undefined && parsed.keepLast !== undefined) {
    throw new InvalidConfigError("options.keepLast", `must not be set: the saver always keeps ${keepLast}`);
  }
  const ended = new AbortController();
  return {
    call: openSaverCall(source, { ...parsed, keepLast: keepLast ?? parsed.keepLast }, ended.signal),
    serde: checkedSerde,
    sizeCheck: new SizeCheck(parsed),
    metadataOf: metadataPicker(parsed.metadataFromConfig),
    ended,
  };
}

function openSaverCall(source: DatabaseSource, options: SaverOptions, ended: AbortSignal): SaverCall {
  const { concurrency, keepTombstones, keepLast, notify } = options;
  const opened = openCall(source, options, TABLES_OF_TENANTS);
  const memory = options.splices ? new ValueMemory(options.spliceMemoryBytes, spliceMetrics) : undefined;
  const policy = {
    ...opened.policy,
    concurrency,
    keepTombstones,
    keepLast,
    clock: new ClockRule(options, ended),
    memory,
    followsChains: options.splices,
    notifies: notify,
  };
  const call = { ...opened, policy };
  return options.grouping ? { ...call, ...openGroups(call) } : call;
}
