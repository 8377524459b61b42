import type { ConnectionOptions } from "../parsing/connection-options.js";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { SweepOptions } from "../parsing/sweep-option.js";
import type { StandardSchema } from "../parsing/parse.js";
import type { VectorDistance } from "../migrations/vector-layout.js";
import type { EmbeddingsFunction, EmbeddingsLike } from "./embeddings/embed-texts.js";

/** The options of a store. */
export interface PostgresStoreOptions extends ConnectionOptions {
  /**
   * How long items live. Default: for ever. A store without this option leaves the items of other stores alone: its reads don't refresh
   * them, and only `sweep()` deletes them.
   */
  readonly ttl?: StoreTtlOptions | undefined;
  /**
   * What holds for the items of some namespaces. Graphs drop the last arguments of `put`, so that a node can't pass them. Of several
   * rules that apply, the one with the longest prefix counts, for each of its properties.
   */
  readonly namespaces?: readonly NamespaceRule[] | undefined;
  /** How texts are embedded, so that `search` finds items by meaning. Default: not at all; `search` finds items by their words. */
  readonly index?: StoreIndexOptions | undefined;
  /**
   * The text search configuration of Postgres for searches by text. Only an index of the same one serves them, see
   * `createOptionalIndexes`. Default `english`.
   */
  readonly textSearchLanguage?: string | undefined;
  /**
   * Encrypts or compresses values, such as `new AesGcmSerializer(…)`. Their keys are then invisible to filters, to searches by text, and to
   * other programs. Namespaces, keys of items, times and embeddings stay in clear text. Default: values are stored as JSON.
   */
  readonly serde?: ContextualSerializer | undefined;
  /** With `serde`: the keys of values that are also stored in clear text, so that filters and searches by text find them. Default: none. */
  readonly visibleKeys?: readonly string[] | undefined;
  /** Whether this store announces its changes, so that {@link ItemStore.watch | watch} yields them. Default `false`. */
  readonly notify?: boolean | undefined;
  /** Whether the first call runs `setup()`, as the official store does. Default `true`; `false` where a pipeline migrates. */
  readonly ensureTables?: boolean | undefined;
}

/** What holds for the items of namespaces that begin with a prefix. */
export interface NamespaceRule {
  /** The first labels. `"*"` stands for any one label. */
  readonly prefix: readonly string[];
  /** How long an item lives, in minutes; `null` for ever. */
  readonly ttl?: number | null | undefined;
  /** Checks values when they are stored and when they are read. What it returns is stored or returned. */
  readonly schema?: StandardSchema | undefined;
  /** The paths of the texts that are embedded; `false` for none. Default: `fields` of the store's `index`. */
  readonly index?: false | readonly string[] | undefined;
}

/** How long items live. */
export interface StoreTtlOptions extends SweepOptions {
  /** How long an item lives that is put without a `ttl`, in minutes, which may be a fraction. Default: for ever. */
  readonly defaultTtl?: number | undefined;
  /** Whether reading an item starts its time again. Default `true`. */
  readonly refreshOnRead?: boolean | undefined;
}

/** The options of `get`. */
export interface GetOptions extends CallOptions {
  /** Whether the time of an item with a TTL starts again. Default: the store's `ttl.refreshOnRead`. */
  readonly refreshTtl?: boolean | undefined;
}

/** The options of `put`. */
export interface PutOptions extends CallOptions {
  /** How long the item lives, in minutes, which may be a fraction; `null` for ever. Default: by the options of the store. */
  readonly ttl?: number | null | undefined;
  /** The version that the item must have; 0 for no item. Default: any. */
  readonly ifVersion?: number | undefined;
}

/** A condition on one key of a value. */
export interface FilterOperators {
  readonly $eq?: unknown;
  readonly $ne?: unknown;
  /** Numbers compare with numbers, texts with texts, and Dates of the years 0 to 9999 as their ISO texts. Other types never match. */
  readonly $gt?: number | string | Date;
  readonly $gte?: number | string | Date;
  readonly $lt?: number | string | Date;
  readonly $lte?: number | string | Date;
  readonly $in?: readonly unknown[];
  readonly $nin?: readonly unknown[];
  /** Whether the key is there, whatever its value. */
  readonly $exists?: boolean;
  readonly $not?: unknown;
}

/**
 * Conditions on the value of an item, all of which must hold. A key names one of the value's own keys, literally: `"a.b"` is one key. Its
 * condition is a value to equal (an object: to contain), or {@link FilterOperators}. The keys `$and` and `$or` hold arrays of filters,
 * `$not` holds one. Operands are compared as what values are stored as, such as a Date as its ISO text.
 */
export type ItemFilter = Readonly<Record<string, unknown>>;

/** The options of `count`. */
export interface CountOptions extends CallOptions {
  readonly filter?: ItemFilter | undefined;
}

/** The options of `search`. */
export interface SearchOptions extends CountOptions {
  /** The text to find. */
  readonly query?: string | undefined;
  /** The largest number of items. Default 10. */
  readonly limit?: number | undefined;
  /** How many items to skip. Default 0. */
  readonly offset?: number | undefined;
  /** Whether the time of the returned items with a TTL starts again. Default: the store's `ttl.refreshOnRead`. */
  readonly refreshTtl?: boolean | undefined;
  /**
   * How `query` finds items. `text`: those that have all of its words, where `"…"`, `or` and `-` work as in a search engine. `vector`:
   * those with the most similar embeddings. `hybrid`: by its words and by embeddings, where an item that both rank high comes first.
   * `auto`: `vector` where the store has an `index`; otherwise, the more of its words an item has, the earlier it comes. Default `auto`.
   */
  readonly mode?: "auto" | "text" | "vector" | "hybrid" | undefined;
  /** How much embeddings count in the mode `hybrid`, from 0 to 1. Words count the rest. Default 0.5. */
  readonly vectorWeight?: number | undefined;
  /** Whether the items without a score follow those that have one. Default: `false` in the mode `text`, otherwise `true`. */
  readonly unscored?: boolean | undefined;
}

/** How far `reembed` has come. */
export interface ReembedProgress {
  /** The items that are done. */
  readonly done: number;
  /** The items to embed, counted when the call began. */
  readonly total: number;
}

/** The options of `reembed`. */
export interface ReembedOptions extends CallOptions {
  /** Called before the first batch and after each one. */
  readonly onProgress?: ((progress: ReembedProgress) => void) | undefined;
  /** The items of one transaction. Default 100. */
  readonly batchSize?: number | undefined;
}

/** The options of `listNamespaces`. */
export interface ListNamespacesOptions extends CallOptions {
  /** The first labels. `"*"` is any one label. */
  readonly prefix?: readonly string[] | undefined;
  /** The last labels. `"*"` is any one label. */
  readonly suffix?: readonly string[] | undefined;
  /** Longer namespaces are cut off to so many labels. */
  readonly maxDepth?: number | undefined;
  /** The largest number of namespaces. Default 100. */
  readonly limit?: number | undefined;
  /** How many namespaces to skip. Default 0. */
  readonly offset?: number | undefined;
}

/**
 * How a store embeds the texts of its items, so that `search` finds items by meaning. It needs pgvector 0.8 or newer. All stores on
 * the same tables need the same `dims`, `model`, `vectorType` and `distanceMetric`: another one is refused, until `reembed()` has
 * embedded all items again.
 *
 * @example
 * ```ts
 * const store = new PostgresStore(pool, {
 *   index: { dims: 1536, embeddings: new OpenAIEmbeddings({ model: "text-embedding-3-small" }), fields: ["text"] },
 * });
 * ```
 */
export interface StoreIndexOptions {
  /** The number of dimensions of a vector. */
  readonly dims: number;
  /** The model: any `Embeddings` of LangChain, or a function that returns a vector for each text. */
  readonly embed?: EmbeddingsLike | EmbeddingsFunction | undefined;
  /** The same as `embed`, as InMemoryStore calls it. */
  readonly embeddings?: EmbeddingsLike | EmbeddingsFunction | undefined;
  /** The name of the model, which is stored. Default: the property `model` or `modelName` of the model, else `default`. */
  readonly model?: string | undefined;
  /**
   * The paths of the texts of a value: `title`, `meta.a`, `list[0]`, `list[-1]`, `chapters[*].text`, `meta.*`, `{title,meta.a}`, or `$`
   * for the whole value as JSON. Each text gets a vector, and the best one of an item counts. Default `["$"]`.
   */
  readonly fields?: readonly string[] | undefined;
  /** How vectors are compared. Default `cosine`. */
  readonly distanceMetric?: VectorDistance | undefined;
  /** The type of the column. `halfvec` takes half the space. Default `vector`; `halfvec` for an index of more than 2,000 dimensions. */
  readonly vectorType?: "vector" | "halfvec" | undefined;
  /** The index of the vectors. `flat` creates no index: a search compares with each vector of its scope. Default `hnsw`. */
  readonly indexType?: "hnsw" | "ivfflat" | "flat" | undefined;
  /** `m` and `efConstruction` of the index, by default those of pgvector. `ef`: how many candidates a search considers at least. */
  readonly hnsw?:
    | {
        readonly m?: number | undefined;
        readonly efConstruction?: number | undefined;
        readonly ef?: number | undefined;
      }
    | undefined;
  /** `lists` of the index, by default that of pgvector. `probes`: how many lists a search reads at least. */
  readonly ivfflat?:
    | { readonly lists?: number | undefined; readonly probes?: number | undefined }
    | undefined;
  /** Ignored, since a store compares vectors in one way. The official store has it. */
  readonly createAllMetricIndexes?: boolean | undefined;
  /** How many texts the model gets at once. Default 256. */
  readonly batchSize?: number | undefined;
}

/** The options of `exportItems`. */
export interface ExportItemsOptions extends CallOptions {
  /** Only the items of this namespace and of those below it. Default: all items. */
  readonly namespace?: readonly string[] | undefined;
}

/** The options of `importItems`. */
export interface ImportItemsOptions extends CallOptions {
  /** Called after each transaction, with the counts of everything read so far. */
  readonly onProgress?: ((progress: ImportItemsReport) => void) | undefined;
}

/** The result of `importItems`. */
export interface ImportItemsReport {
  /** The number of items that were stored. */
  readonly items: number;
  /** The number of items that were already stored, with the same content. */
  readonly skipped: number;
  /** The number of items whose time was over, so that they were left out. */
  readonly expired: number;
}
