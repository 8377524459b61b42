export {
  type EmbeddingKind,
  EmbeddingMismatchError,
  InvalidEmbeddingError,
  ItemSchemaError,
  VersionConflictError,
} from "../errors/store-errors.js";
export type {
  ExportItemsOptions,
  ImportItemsOptions,
  ImportItemsReport,
} from "./backup/item-backup-types.js";
export { StoreBackupError } from "./backup/store-backup-error.js";
export type { SweepOptions } from "../parsing/sweep-option.js";
export type { EmbeddingsFunction, EmbeddingsLike } from "./embeddings/embedder.js";
export type { StoreIndexOptions } from "./index-options.js";
export type { FoundItem, ItemValue, StoreItem } from "./model/item.js";
export type { ItemInput, ItemStore } from "./item-store.js";
export { PostgresStore, type PostgresStoreConfig } from "./postgres-store.js";
export type { StoreChange } from "./watch/watch-items.js";
export type { StandardSchema } from "../parsing/standard-schema.js";
export type {
  CountOptions,
  FilterOperators,
  GetOptions,
  ItemFilter,
  ListNamespacesOptions,
  NamespaceRule,
  PostgresStoreOptions,
  PutOptions,
  ReembedOptions,
  ReembedProgress,
  SearchOptions,
  StoreTtlOptions,
} from "./store-options.js";
