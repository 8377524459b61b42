export {
  type EmbeddingKind,
  EmbeddingMismatchError,
  InvalidEmbeddingError,
  ItemSchemaError,
  VersionConflictError,
} from "../errors/store-errors.js";
export type { ExportItemsOptions, ImportItemsOptions, ImportItemsReport } from "./store-options.js";
export { StoreBackupError } from "./item-line.js";
export type { SweepOptions } from "../parsing/sweep-option.js";
export type { EmbeddingsFunction, EmbeddingsLike } from "./embeddings/embed-texts.js";
export type { StoreIndexOptions } from "./store-options.js";
export type { FoundItem, ItemValue, StoreItem } from "./item.js";
export type { ItemInput, ItemStore } from "./item-store.js";
export { PostgresStore, type PostgresStoreConfig } from "./postgres-store.js";
export type { StoreChange } from "./watch-items.js";
export type { StandardSchema } from "../parsing/parse.js";
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
