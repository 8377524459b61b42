import type { RetryOptions } from "../../db/statements/retry-transient.js";
import { CheckpointTooLargeError, CorruptCheckpointError, DatabaseError } from "../../errors/index.js";
import type { DatabaseAddress } from "../../telemetry/logger.js";
import type { BackendCall, CheckpointBackend } from "../model/backend.js";
import {
  idsBehind,
  isListedBy,
  type ReadRecord,
  readRecord,
  type RecordRange,
  type RecordScope,
  type RefusingRecord,
  type SaveManyRules,
  type SaveRules,
  scopesOf,
  type StoredRecord,
  trimsOf,
} from "../model/stored-record.js";
import { compareRedisRecords, decodeRecordText, encodeRecord, type RedisRecord } from "./record-text.js";
import type { RedisClient } from "./redis-client.js";
import { partsOfReply, RedisCommands, type Reply, wrongTypeError } from "./redis-commands.js";
import { CHECK, CLEAR, DELETE, LIST, PORTION, SAVE, SWEEP } from "./redis-scripts.js";

/** The longest string of Redis, in bytes. */
const MAX_BYTES = 512 * 1024 ** 2;

/** What a backend was configured with. */
interface RedisBackendOptions {
  readonly prefix: string;
  readonly ttlMs?: number | undefined;
  readonly retry: RetryOptions | false;
}

/** Keeps records in Redis, under the keys of langgraphgo. */
export class RedisBackend implements CheckpointBackend {
  readonly system = "redis";
  readonly maxTextBytes = MAX_BYTES;
  readonly #client: RedisClient;
  readonly #commands: RedisCommands;
  readonly #prefix: string;
  readonly #ttl: string;

  constructor(client: RedisClient, { prefix, ttlMs, retry }: RedisBackendOptions) {
    this.#client = client;
    this.#commands = new RedisCommands(client, retry);
    this.#prefix = prefix;
    this.#ttl = ttlMs === undefined ? "" : String(ttlMs);
  }

  address(): DatabaseAddress {
    return this.#client.address();
  }

  async setup(call: BackendCall): Promise<void> {
    await this.#commands.send(call, "PING");
  }

  async save(record: StoredRecord, rules: SaveRules, call: BackendCall): Promise<number | undefined> {
    return (await this.#save([record], rules, call))?.version;
  }

  saveMany(
    records: readonly StoredRecord[],
    rules: SaveManyRules,
    call: BackendCall,
  ): Promise<RefusingRecord | undefined> {
    return this.#save(records, rules, call);
  }

  // Retries nothing: the caller bounds how long it may take.
  async check(call: BackendCall): Promise<void> {
    const once = new RedisCommands(this.#client, false);
    await once.run(call, CHECK, [recordKey(this.#prefix, "")], [this.#prefix]);
  }

  async load(id: string, call: BackendCall): Promise<StoredRecord | undefined> {
    const text = await this.#commands.send(call, "GET", recordKey(this.#prefix, id));
    return typeof text === "string" ? decodeRecordText(text, id).record : undefined;
  }

  async list(
    scope: RecordScope,
    { limit, order }: RecordRange,
    call: BackendCall,
  ): Promise<readonly ReadRecord[]> {
    const found: RedisRecord[] = [];
    const unreadable: CorruptCheckpointError[] = [];
    const gone: string[] = [];
    for (const [id, text] of await this.#texts(scope, { limit, order }, call)) {
      const read = text === undefined ? undefined : readRecord(() => decodeRecordText(text, id));
      if (read instanceof CorruptCheckpointError) unreadable.push(read);
      else if (read !== undefined && isListedBy(scope, read.record)) found.push(read);
      else gone.push(id);
    }
    await this.#sweep(scope, gone, call);
    found.sort(compareRedisRecords);
    if (order === "desc") found.reverse();
    // Nobody knows the time of what can't be read.
    return [...unreadable, ...found.slice(0, limit).map(({ record }) => record)];
  }

  async delete(id: string, call: BackendCall): Promise<boolean> {
    const key = recordKey(this.#prefix, id);
    return countIn(await this.#commands.run(call, DELETE, [key], [this.#prefix, id])) > 0;
  }

  async clear(scope: RecordScope, call: BackendCall): Promise<number> {
    const index = indexKey(this.#prefix, scope);
    return countIn(await this.#commands.run(call, CLEAR, [index], [this.#prefix, scope.by, scope.id]));
  }

  async count(call: BackendCall): Promise<number> {
    return (await scanIds(this.#commands, this.#prefix, call)).length;
  }

  async *pages(after: string | undefined, call: BackendCall): AsyncGenerator<readonly ReadRecord[]> {
    const ids = idsBehind(after, await scanIds(this.#commands, this.#prefix, call));
    for (let first = 0; first < ids.length; first += PORTION) {
      const portion = ids.slice(first, first + PORTION);
      const records = (await this.#read(portion, call)).flatMap(([id, text]) =>
        text === undefined ? [] : [readRecord(() => decodeRecordText(text, id).record)],
      );
      if (records.length > 0) yield records;
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #save(
    records: readonly StoredRecord[],
    { onlyNewer, keepLast }: SaveRules | SaveManyRules,
    call: BackendCall,
  ): Promise<RefusingRecord | undefined> {
    const keys = records.map(({ id }) => recordKey(this.#prefix, id));
    const indexes = new Set(records.flatMap(scopesOf).map((scope) => indexKey(this.#prefix, scope)));
    const trims = trimsOf(records, keepLast);
    // It is the same for all.
    const keep = trims[0]?.keep ?? 0;
    const parameters = [
      ...[this.#prefix, this.#ttl, onlyNewer ? "1" : "", String(keep), String(records.length)],
      ...records.flatMap((record) => {
        const { id, executionId, threadId = "", version } = record;
        return [id, checkedText(record), String(version), executionId, threadId];
      }),
      ...trims.flatMap(({ scope, saved }) => [scope.by, scope.id, saved]),
    ];
    const reply = await this.#commands.run(call, SAVE, [...keys, ...indexes], parameters);
    if (reply === null) return undefined;
    // A client may have been told to return numbers as texts.
    const [place, version] = partsOfReply(reply);
    if (version === undefined) throw wrongTypeError(String(place));
    return { id: records[Number(place) - 1]?.id ?? "", version: Number(version) };
  }

  /** Reads the members of an index, and the texts of their records. */
  async #texts(scope: RecordScope, { limit, order }: RecordRange, call: BackendCall): Promise<IdAndText[]> {
    const index = indexKey(this.#prefix, scope);
    const parameters = [this.#prefix, scope.by, scope.id, limit === undefined ? "" : String(limit), order];
    const [members, first] = partsOfReply(await this.#commands.run(call, LIST, [index], parameters));
    if (typeof members === "string") throw wrongTypeError(members);
    const ids = partsOfReply(members).map(String);
    const texts = paired(ids.slice(0, PORTION), first);
    for (let start = PORTION; start < ids.length; start += PORTION) {
      texts.push(...(await this.#read(ids.slice(start, start + PORTION), call)));
    }
    return texts;
  }

  async #read(ids: readonly string[], call: BackendCall): Promise<IdAndText[]> {
    const keys = ids.map((id) => recordKey(this.#prefix, id));
    return paired(ids, await this.#commands.send(call, "MGET", ...keys));
  }

  // The list is right without it. A replica, for example, can't write, but its list may be read.
  async #sweep(scope: RecordScope, gone: readonly string[], call: BackendCall): Promise<void> {
    const once = new RedisCommands(this.#client, false);
    try {
      for (let first = 0; first < gone.length; first += PORTION) {
        const members = gone.slice(first, first + PORTION);
        const parameters = [this.#prefix, scope.by, scope.id, ...members];
        await once.run(call, SWEEP, [indexKey(this.#prefix, scope)], parameters);
      }
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
    }
  }
}

type IdAndText = readonly [id: string, text: string | undefined];

function paired(ids: readonly string[], texts: Reply | undefined): IdAndText[] {
  const replies = partsOfReply(texts);
  return ids.map((id, n) => {
    const text = replies[n];
    return [id, typeof text === "string" ? text : undefined];
  });
}

/** Returns the number that a script has answered with. A list has the key of a wrong type. */
function countIn(reply: Reply): number {
  const [key] = partsOfReply(reply);
  if (typeof key === "string") throw wrongTypeError(key);
  return Number(reply);
}

function checkedText(record: StoredRecord): string {
  const { id, state, metadata = "" } = record;
  const bytes = Buffer.byteLength(state) + Buffer.byteLength(metadata);
  if (bytes < MAX_BYTES / 2) return encodeRecord(record);
  const text = bytes < MAX_BYTES ? encodeRecord(record) : "";
  const total = bytes < MAX_BYTES ? Buffer.byteLength(text) : bytes;
  if (total <= MAX_BYTES) return text;
  throw new CheckpointTooLargeError(`checkpoint "${id}" has ${total} bytes, the limit is ${MAX_BYTES}`, {
    bytes: total,
    maxBytes: MAX_BYTES,
    checkpointId: id,
  });
}

/** The key of a record, as today's langgraphgo names it. */
function recordKey(prefix: string, id: string): string {
  return `${prefix}checkpoint:${id}`;
}

/** The key of a sorted set of ids, scored by their versions, as today's langgraphgo names it. */
function indexKey(prefix: string, { by, id }: RecordScope): string {
  return `${prefix}${by}:${id}:checkpoints`;
}

/** How many keys of the whole database a command looks at. */
const SCANNED = "1000";

/** Returns the ids of all records, each once, in no order. What is stored meanwhile may be missing. */
async function scanIds(commands: RedisCommands, prefix: string, call: BackendCall): Promise<string[]> {
  const start = recordKey(prefix, "");
  const ids = new Set<string>();
  let cursor = "0";
  do {
    const pattern = `${start.replaceAll(/[\\*?[\]]/g, "\\$&")}*`;
    const options = ["MATCH", pattern, "COUNT", SCANNED, "TYPE", "string"];
    const reply = await commands.send(call, "SCAN", cursor, ...options);
    const [next, keys] = partsOfReply(reply);
    cursor = String(next);
    for (const key of partsOfReply(keys)) ids.add(String(key).slice(start.length));
  } while (cursor !== "0");
  return [...ids];
}
