import { InvalidConfigError, CheckpointError, SerializationError } from "../../errors/index.js";
import type { InspectorContext } from "../inspector-context.js";
import { Preparation } from "../../db/preparation.js";
import { ItemStore, openedStoreOf } from "../../store/item-store.js";
import { toPrefix } from "../../store/queries/item-rows.js";
import type { Sealing } from "../../store/item-codec.js";
import { NamespaceRules, type StoreCall } from "../../store/store-call.js";
import { readableColumns } from "../queries/catalog.js";
import type { ContextualSerializer, ValueContext } from "../../serde/serde-context.js";
import { RowSecurityCheck } from "../../db/row-security.js";

const stores = new WeakMap<InspectorContext, ReadingStore>();
const readable = new WeakSet<ReadingStore>();

/**
 * Returns the store whose items the inspector shows: what the application has passed, or a store on the database of the saver. It only
 * reads: it creates no tables, and starts the time of no item again.
 *
 * @throws InvalidConfigError where there is no such store; see {@link hasMemory}.
 */
export async function storeOf(context: InspectorContext, signal: AbortSignal): Promise<ReadingStore> {
  if (await hasMemory(context, signal)) return openOnce(context);
  throw new InvalidConfigError("store", "there is no store that the inspector may read");
}

/** Whether the tables of the store exist and may be read. It asks the database until they do. */
export async function hasMemory(context: InspectorContext, signal: AbortSignal): Promise<boolean> {
  const store = openOnce(context);
  if (readable.has(store)) return true;
  // A saver for one tenant must not show the items of others.
  const { tenantId } = context.call.policy;
  if (tenantId !== undefined && store.tenantId !== tenantId) return false;
  const isReadable = await store.isReadable(signal);
  if (isReadable) readable.add(store);
  return isReadable;
}

function openOnce(context: InspectorContext): ReadingStore {
  const known = stores.get(context);
  if (known !== undefined) return known;
  const { store } = context;
  const opened = store === undefined ? ReadingStore.besideSaver(context) : ReadingStore.like(store);
  stores.set(context, opened);
  return opened;
}

/** The columns that reads of items need. The tables of the official JavaScript store lack some of them. */
const COLUMNS = [
  "prefix",
  "key",
  "value",
  "created_at",
  "updated_at",
  "expires_at",
  "ttl_minutes",
  "version",
];

/** What every reading store is like: it shows what is stored, and changes nothing. */
const READS_ONLY = {
  ...{ rules: new NamespaceRules([]), refreshesOnRead: false, channel: undefined },
  readsAnyPlace: true,
};

/** What a store is opened with that creates no tables, and sweeps none. */
function withoutSetup(call: StoreCall) {
  const setUp = (): Promise<void> => Promise.resolve();
  const preparation = new Preparation({ ensuresTables: false, setUp, sweeps: undefined });
  return { call, preparation, ended: new AbortController() };
}

/** A store that only reads: it creates no tables, and starts the time of no item again. */
export class ReadingStore extends ItemStore {
  readonly #call: StoreCall;

  private constructor(call: StoreCall) {
    super(withoutSetup(call));
    this.#call = call;
  }

  /** Returns a store that reads what a store of the application reads. */
  static like(store: ItemStore): ReadingStore {
    const { call } = openedStoreOf(store);
    const { sealing } = call.settings;
    const settings = { ...call.settings, ...READS_ONLY, sealing: sealing && reading(sealing) };
    return new ReadingStore({ ...call, settings });
  }

  /** Returns a store on the database, in the schema and for the tenant of the saver. */
  static besideSaver(context: InspectorContext): ReadingStore {
    const call = storeCallBeside(context);
    const sealing = reading({ serde: context.saver.serde, visibleKeys: new EveryKey() });
    return new ReadingStore({ ...call, settings: { ...call.settings, ...READS_ONLY, sealing } });
  }

  /** Whether items can be searched by meaning. */
  get hasVectors(): boolean {
    return this.#call.settings.vectors !== undefined;
  }

  /** The context of a query about its items. */
  callWith(signal: AbortSignal): StoreCall {
    return { ...this.#call, signal };
  }

  /** The column `prefix` of a namespace. */
  prefixOf(namespace: readonly string[]): string {
    return toPrefix([...this.#call.settings.root, ...namespace]);
  }

  /** The tenant whose items it reads. */
  get tenantId(): string | undefined {
    return this.#call.policy.tenantId;
  }

  /** Whether its tables exist, may be read, and keep its tenant apart. */
  async isReadable(signal: AbortSignal): Promise<boolean> {
    const { tables } = this.#call.settings;
    const found = await readableColumns(this.callWith(signal), tables);
    const isThere = tables.every((name) => found.some(({ table }) => table === name));
    const items = found.filter(({ table }) => table === "store").map(({ column }) => column);
    const isApart = this.tenantId === undefined || found.every(({ is_secured }) => is_secured);
    return isThere && isApart && COLUMNS.every((name) => items.includes(name));
  }
}

function reading({ serde, visibleKeys }: Sealing): Sealing {
  return { serde: new ReadingSerializer(serde), visibleKeys };
}

/** The keys of values that are not encrypted: any may be searched for. */
class EveryKey extends Set<string> {
  override has(): boolean {
    return true;
  }
}

/**
 * Reads the values of items. A value that can't be read becomes the error that says why, so that one such item does not hide the others.
 */
class ReadingSerializer implements ContextualSerializer {
  readonly #serde: ContextualSerializer;

  constructor(serde: ContextualSerializer) {
    this.#serde = serde;
  }

  dumpsTyped(): Promise<[string, Uint8Array]> {
    return Promise.reject(new SerializationError("", "the inspector only reads items"));
  }

  async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    try {
      return await this.#serde.loadsTyped(type, data, context);
    } catch (error) {
      if (error instanceof CheckpointError) return error;
      // Any other message may quote the value.
      return new CheckpointError("DESERIALIZATION_FAILED", "the serializer could not read the value");
    }
  }
}

/** A store that writes items as plain JSON, without vectors, and creates no tables. */
class PlainStore extends ItemStore {
  constructor(call: StoreCall) {
    super(withoutSetup(call));
  }
}

/** Returns the store that the inspector writes items with: the application's, with its index and its serializer, where it has passed one. */
export function writingStoreOf(context: InspectorContext): ItemStore {
  return context.itemWriter ?? context.store ?? new PlainStore(storeCallBeside(context));
}

/** What the calls of a store on the database, in the schema and for the tenant of the saver start from. Its values are plain JSON. */
function storeCallBeside({ call }: InspectorContext): StoreCall {
  const { database, schema, telemetry, policy } = call;
  const { retry, statementTimeoutMs, tenantId } = policy;
  const tables = ["store"];
  const rowSecurity = tenantId === undefined ? undefined : new RowSecurityCheck(tables);
  return {
    ...{ database, schema, optionalTables: tables },
    ...(telemetry !== undefined && { telemetry }),
    policy: { retry, statementTimeoutMs, tenantId, rowSecurity },
    settings: {
      ...{ tables, root: [], rules: new NamespaceRules([]), defaultTtl: null, refreshesOnRead: false },
      ...{ textSearchLanguage: "english", sealing: undefined, channel: undefined, vectors: undefined },
    },
  };
}
