import type { PageAction } from "./actions.js";
import type {
  CacheEntriesPage,
  CacheEntriesQuery,
  CacheEntryPlace,
  CacheNamespaces,
  CacheNamespacesQuery,
  CachePrefix,
} from "./cache.js";
import type {
  CheckedUpdate,
  CopyRequest,
  CreatedCheckpoint,
  EditableValue,
  ForkEdit,
  StateUpdate,
} from "./changes.js";
import type { ChannelComparison, CheckpointView, CheckpointComparison, Conversation } from "./checkpoints.js";
import type { LastMessage, ThreadHits, ThreadSearch } from "./finds.js";
import type { HealthView } from "./health-view.js";
import type {
  DeletedItems,
  EditableItem,
  ItemEdit,
  ItemFacts,
  ItemPlace,
  Items,
  ItemsQuery,
  ItemSums,
  ItemSumsQuery,
  MemoryNamespaces,
  MemoryNamespacesQuery,
  MemoryState,
  NamespaceDeletion,
  NewItem,
} from "./memory.js";
import type { OpenThread, ThreadGraphs } from "./runs.js";
import type { GraphPicture, PictureQuery } from "./picture.js";
import type { CheckpointPlace, ComparedCheckpoints, NamespacePlace, ValuePlace } from "./places.js";
import type { FoundMessages, MessageSearch, StoryPage, StoryQuery } from "./story.js";
import type {
  ChannelChains,
  CopiedRowCounts,
  DeletedRows,
  MeasuredStorage,
  PruneRule,
  StepsStorage,
  TableSize,
} from "./storage-views.js";
import type {
  HistoryPage,
  HistoryQuery,
  Neighbours,
  MetadataSuggestion,
  ThreadCounts,
  ThreadSizes,
  ListedThreads,
  ThreadsQuery,
  ThreadView,
} from "./threads.js";
import type { TextPart, ValueMatch, UnfoldedValue, ValuePath } from "./value-node.js";

/** A call of the page to the server. Both are JSON. */
interface Call<Args, Result> {
  readonly args: Args;
  readonly result: Result;
}

interface ThreadArgs {
  readonly threadId: string;
}

interface ValueArgs {
  readonly place: ValuePlace;
  readonly path: ValuePath;
}

/** What the page reads: `POST api/<name>` with the arguments as JSON. */
export interface ReadCalls {
  /** What the page needs to know first. */
  readonly overview: Call<object, Overview>;
  readonly threads: Call<ThreadsQuery, ListedThreads>;
  /** Reads as much as a long list of threads. */
  readonly threadCounts: Call<object, ThreadCounts>;
  /** What a filter on the metadata of threads may ask for. */
  readonly metadataSuggestions: Call<object, { readonly suggestions: readonly MetadataSuggestion[] }>;
  /** For threads of a page of the list, because it reads their rows. */
  readonly threadSizes: Call<{ readonly threadIds: readonly string[] }, ThreadSizes>;
  /** How the conversations of such threads end, by their ids. */
  readonly lastMessages: Call<
    { readonly threadIds: readonly string[] },
    { readonly messages: Readonly<Record<string, LastMessage>> }
  >;
  readonly thread: Call<ThreadArgs, ThreadView>;
  /** The graphs that can go on from a checkpoint of the root graph. */
  readonly graphs: Call<ThreadArgs & { readonly checkpointId: string }, ThreadGraphs>;
  /** What the graph of a thread looks like, and where the thread is in it. */
  readonly graphPicture: Call<PictureQuery, GraphPicture>;
  /** What a person can do for a thread. */
  readonly openThread: Call<ThreadArgs, OpenThread>;
  readonly history: Call<HistoryQuery, HistoryPage>;
  readonly story: Call<StoryQuery, StoryPage>;
  readonly findMessages: Call<MessageSearch, FoundMessages>;
  readonly searchThread: Call<ThreadSearch, ThreadHits>;
  readonly neighbours: Call<CheckpointPlace, Neighbours>;
  readonly checkpoint: Call<CheckpointPlace, CheckpointView>;
  readonly value: Call<
    ValueArgs & { readonly offset?: number | undefined; readonly limit?: number | undefined },
    UnfoldedValue
  >;
  /** The rest of a string. */
  readonly text: Call<ValueArgs & { readonly offset: number }, TextPart>;
  readonly searchValue: Call<
    { readonly place: ValuePlace; readonly search: string },
    { readonly matches: readonly ValueMatch[]; readonly hasMore: boolean }
  >;
  readonly conversation: Call<
    CheckpointPlace & {
      readonly channel: string;
      readonly offset?: number | undefined;
      readonly limit?: number | undefined;
    },
    Conversation
  >;
  readonly compare: Call<ComparedCheckpoints, CheckpointComparison>;
  readonly compareChannel: Call<
    ComparedCheckpoints & { readonly channel: string; readonly limit?: number | undefined },
    ChannelComparison
  >;
  readonly tables: Call<object, { readonly tables: readonly TableSize[] }>;
  /** Reads all rows of a thread, or of all threads. */
  readonly storage: Call<
    { readonly threadId?: string | undefined; readonly limit?: number | undefined },
    MeasuredStorage
  >;
  readonly stepBytes: Call<NamespacePlace, StepsStorage>;
  readonly chains: Call<ThreadArgs, { readonly channels: readonly ChannelChains[] }>;
  /** What `prune` would delete. */
  readonly checkPrune: Call<PruneRule, DeletedRows>;
  readonly memory: Call<object, MemoryState>;
  readonly memoryNamespaces: Call<MemoryNamespacesQuery, MemoryNamespaces>;
  readonly items: Call<ItemsQuery, Items>;
  /** What namespaces hold. By a label, it reads all rows of the store, without their values. */
  readonly itemSums: Call<ItemSumsQuery, ItemSums>;
  readonly item: Call<ItemPlace, ItemFacts>;
  /** What a person may edit of an item. */
  readonly editableItem: Call<ItemPlace, EditableItem>;
  /** Reads the rows of the namespaces, without their values. */
  readonly cacheNamespaces: Call<CacheNamespacesQuery, CacheNamespaces>;
  readonly cacheEntries: Call<CacheEntriesQuery, CacheEntriesPage>;
  readonly health: Call<object, HealthView>;
  /** What a person may edit before a fork. */
  readonly editableValue: Call<CheckpointPlace & { readonly channel: string }, EditableValue>;
}

/** What the page changes: `POST api/<name>` with the arguments as JSON. */
export interface WriteCalls {
  readonly fork: Call<ForkEdit, CreatedCheckpoint>;
  /** What `updateState` would store: it runs code of the graph, and stores nothing. */
  readonly checkUpdate: Call<StateUpdate, CheckedUpdate>;
  readonly updateState: Call<StateUpdate, CreatedCheckpoint>;
  readonly rollback: Call<CheckpointPlace, CreatedCheckpoint>;
  readonly copyThread: Call<CopyRequest, CopiedRowCounts>;
  readonly deleteThread: Call<ThreadArgs, object>;
  readonly prune: Call<PruneRule, DeletedRows>;
  readonly createItem: Call<NewItem, object>;
  readonly editItem: Call<ItemEdit, object>;
  readonly deleteItem: Call<ItemPlace, object>;
  readonly deleteItems: Call<NamespaceDeletion, DeletedItems>;
  readonly deleteCacheEntry: Call<CacheEntryPlace, object>;
  readonly clearCacheNamespace: Call<Pick<CacheEntryPlace, "namespace">, object>;
  readonly clearCachePrefix: Call<CachePrefix, object>;
}

/** The name of a call that reads. */
export type ReadName = keyof ReadCalls;
/** The name of a call that writes. */
export type WriteName = keyof WriteCalls;

/** What the page needs to know first. */
export interface Overview {
  /** What the caller may do besides reading. */
  readonly may: Readonly<Record<PageAction, boolean>>;
  /** Whether the saver keeps only the newest checkpoint of each namespace. */
  readonly isShallow: boolean;
  readonly schema: string;
  /** The tenant that the saver is for. */
  readonly tenantId?: string;
  /** The address of the database, without a password. */
  readonly database: string;
  readonly version: string;
  /** Whether the inspector has graphs. */
  readonly hasGraphs: boolean;
  /** Whether the tables of the store exist. */
  readonly hasMemory: boolean;
  /** Whether the table of the cache exists. */
  readonly hasCache: boolean;
  /**
   * Whether the server hears at once of checkpoints that savers with `notify` store. Otherwise, and for other savers, the events of a thread
   * come from a look every 2 seconds.
   */
  readonly canWatch: boolean;
}

/** An error of a call. */
export interface CallError {
  readonly error: { readonly code: string; readonly message: string };
}
