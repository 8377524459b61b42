import { type DatabaseSource, PostgresSaver } from "../../../src/index.js";
import { MsgpackSerializer } from "../../../src/serde/index.js";
import { type BadInput, invalid, type NamedError, throwing, throwingProxy } from "./bad-input.js";

type Row = readonly [what: string, argument: unknown, error: NamedError];

const SOURCES: readonly (readonly [what: string, source: unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a number", 5432],
  ["a boolean", true],
  ["a function", () => "postgres://localhost"],
  ["a list", ["postgres://localhost"]],
  ["an address that does not end", "postgres://u:secret@[::1:99/x"],
  ["a port beyond all ports", "postgres://u:secret@localhost:99999/x"],
  ["a port that is text", { port: "abc" }],
  ["a number as connection string", { connectionString: 5 }],
  ["a folder with U+0000", "file://a\0b"],
  ["a Proxy that throws", throwingProxy()],
  ["a revoked Proxy", revokedProxy()],
];

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const SAVER_OPTIONS: readonly Row[] = [
  ["null as options", null, invalid("options")],
  ["text as options", "agents", invalid("options")],
  ["a list as options", [], invalid("options")],
  ["a getter of the schema that throws", throwing("schema"), invalid("options")],
  ["an empty schema", { schema: "" }, invalid("options.schema")],
  ["null as schema", { schema: null }, invalid("options.schema")],
  ["a number as schema", { schema: 1 }, invalid("options.schema")],
  ["a schema over 63 bytes", { schema: "ü".repeat(32) }, invalid("options.schema")],
  ["a schema with U+0000", { schema: "a\0" }, invalid("options.schema")],
  ["a schema with a lone surrogate", { schema: "\ud800" }, invalid("options.schema")],
  ["text as prepare", { prepare: "no" }, invalid("options.prepare")],
  ["null as prepare", { prepare: null }, invalid("options.prepare")],
  ["true as retry", { retry: true }, invalid("options.retry")],
  ["a number as retry", { retry: 1_000 }, invalid("options.retry")],
  ["a negative bound", { retry: { maxElapsedMs: -1 } }, invalid("options.retry.maxElapsedMs")],
  ["NaN as bound", { retry: { maxElapsedMs: NaN } }, invalid("options.retry.maxElapsedMs")],
  ["text as pause", { retry: { minDelayMs: "25" } }, invalid("options.retry.minDelayMs")],
  ["a negative pause", { retry: { maxDelayMs: -25 } }, invalid("options.retry.maxDelayMs")],
  ["a misspelt option", { keepTombstone: true }, invalid("options.keepTombstone")],
  ["a misspelt option of retry", { retry: { maxElapsed: 1 } }, invalid("options.retry.maxElapsed")],
  ["an unknown concurrency", { concurrency: "pessimistic" }, invalid("options.concurrency")],
  ["null as concurrency", { concurrency: null }, invalid("options.concurrency")],
  ["true as concurrency", { concurrency: true }, invalid("options.concurrency")],
  ["a list as concurrency", { concurrency: ["optimistic"] }, invalid("options.concurrency")],
  ["a getter of concurrency that throws", throwing("concurrency"), invalid("options")],
  ["text as splices", { splices: "yes" }, invalid("options.splices")],
  ["null as splices", { splices: null }, invalid("options.splices")],
  ["a negative memory", { spliceMemoryBytes: -1 }, invalid("options.spliceMemoryBytes")],
  ["half a byte of memory", { spliceMemoryBytes: 0.5 }, invalid("options.spliceMemoryBytes")],
  ["an endless memory", { spliceMemoryBytes: Infinity }, invalid("options.spliceMemoryBytes")],
  ["text as keepTombstones", { keepTombstones: "yes" }, invalid("options.keepTombstones")],
  ["a number as keepTombstones", { keepTombstones: 1 }, invalid("options.keepTombstones")],
  ["null as keepTombstones", { keepTombstones: null }, invalid("options.keepTombstones")],
  ["no checkpoint to keep", { keepLast: 0 }, invalid("options.keepLast")],
  ["half a checkpoint to keep", { keepLast: 1.5 }, invalid("options.keepLast")],
  ["more checkpoints to keep than a put reads", { keepLast: 1001 }, invalid("options.keepLast")],
  ["no byte as maximum", { maxCheckpointBytes: 0 }, invalid("options.maxCheckpointBytes")],
  ["half a byte as maximum", { maxCheckpointBytes: 1.5 }, invalid("options.maxCheckpointBytes")],
  ["an endless maximum", { maxCheckpointBytes: Infinity }, invalid("options.maxCheckpointBytes")],
  ["text as maximum", { maxCheckpointBytes: "1 MB" }, invalid("options.maxCheckpointBytes")],
  ["null as maximum", { maxCheckpointBytes: null }, invalid("options.maxCheckpointBytes")],
  ["a negative warning level", { warnCheckpointBytes: -1 }, invalid("options.warnCheckpointBytes")],
  ["NaN as warning level", { warnCheckpointBytes: NaN }, invalid("options.warnCheckpointBytes")],
  [
    "a warning level above the maximum",
    { maxCheckpointBytes: 10, warnCheckpointBytes: 11 },
    invalid("options.warnCheckpointBytes"),
  ],
  ["no time for a statement", { statementTimeoutMs: 0 }, invalid("options.statementTimeoutMs")],
  ["a negative time for a statement", { statementTimeoutMs: -1 }, invalid("options.statementTimeoutMs")],
  ["NaN as time for a statement", { statementTimeoutMs: NaN }, invalid("options.statementTimeoutMs")],
  ["more time than a timer has", { statementTimeoutMs: 2 ** 31 }, invalid("options.statementTimeoutMs")],
  ["text as time for a statement", { statementTimeoutMs: "1 s" }, invalid("options.statementTimeoutMs")],
  ["null as time for a statement", { statementTimeoutMs: null }, invalid("options.statementTimeoutMs")],
  ["a getter of the maximum that throws", throwing("maxCheckpointBytes"), invalid("options")],
  ["text as logger", { logger: "console" }, invalid("options.logger")],
  ["null as logger", { logger: null }, invalid("options.logger")],
  ["a logger without a level", { logger: {} }, invalid("options.logger")],
  [
    "a logger whose level is none",
    { logger: { warn: console.warn, error: true } },
    invalid("options.logger"),
  ],
  ["a logger that throws when it is looked at", { logger: throwing("warn") }, invalid("options")],
  ["a Proxy that throws as logger", { logger: throwingProxy() }, invalid("options")],
  ["text as telemetry", { telemetry: "off" }, invalid("options.telemetry")],
  ["false as telemetry", { telemetry: false }, invalid("options.telemetry")],
  ["text as choice of threads", { telemetry: { threadIds: "no" } }, invalid("options.telemetry.threadIds")],
  ["a misspelt choice", { telemetry: { threads: false } }, invalid("options.telemetry.threads")],
  ["text as notify", { notify: "yes" }, invalid("options.notify")],
  ["a number as notify", { notify: 1 }, invalid("options.notify")],
  ["null as notify", { notify: null }, invalid("options.notify")],
  ["text as keys of metadata", { metadataFromConfig: "user_id" }, invalid("options.metadataFromConfig")],
  ["a number as key of metadata", { metadataFromConfig: [1] }, invalid("options.metadataFromConfig.0")],
  ["an empty key of metadata", { metadataFromConfig: [""] }, invalid("options.metadataFromConfig.0")],
  ["a key for the prototype", { metadataFromConfig: ["__proto__"] }, invalid("options.metadataFromConfig.0")],
];

/** Values without `dumpsTyped` and `loadsTyped`. */
const SERIALIZERS: readonly (readonly [what: string, serde: unknown])[] = [
  ["the options in the place of the serializer", { schema: "agents", tenantId: "acme" }],
  ["a name as serializer", "json"],
  ["a number as serializer", 1],
  ["a class as serializer", MsgpackSerializer],
  ["half a serializer", { dumpsTyped: () => ["json", "1"] }],
  ["a Proxy that throws as serializer", throwingProxy()],
];

/** Invalid sources, serializers and options of a saver. */
export const BAD_SAVERS: readonly BadInput[] = [
  ...SOURCES.map(([what, source]): BadInput => ({
    what: `a saver on ${what}`,
    call: async () => Promise.resolve(new PostgresSaver(source as DatabaseSource)),
    error: invalid("source"),
  })),
  ...SERIALIZERS.map(([what, serde]): BadInput => ({
    what: `a saver with ${what}`,
    call: async () => Promise.resolve(new PostgresSaver("memory://", serde as MsgpackSerializer)),
    error: invalid("serde"),
  })),
  ...SAVER_OPTIONS.map(([what, options, error]): BadInput => ({
    what: `a saver with ${what}`,
    call: async () => Promise.resolve(new PostgresSaver("memory://", undefined, options as object)),
    error,
  })),
];
