/** The pages that explain what a row of a table only names. A key is the type and its member, the code of an error, or a metric. */
const PAGES: Readonly<Record<string, string>> = {
  "ConnectionOptions.schema": "[migrations](migrations.md)",
  "ConnectionOptions.prepare": "[poolers](poolers.md#prepared-statements)",
  "ConnectionOptions.retry": "[retries](options.md#retries)",
  "ConnectionOptions.statementTimeoutMs": "[timeouts](options.md#timeouts-and-signals)",
  "ConnectionOptions.tenantId": "[tenants](tenants.md)",
  "ConnectionOptions.logger": "[log](observability.md#log)",
  "ConnectionOptions.telemetry": "[observability](observability.md)",
  "PostgresSaverOptions.concurrency": "[concurrency](concurrency.md#optimistic-concurrency)",
  "PostgresSaverOptions.maxClockWaitMs": "[clocks](concurrency.md#clocks)",
  "PostgresSaverOptions.clockBehind": "[clocks](concurrency.md#clocks)",
  "PostgresSaverOptions.keepTombstones": "[tombstones](concurrency.md#tombstones)",
  "PostgresSaverOptions.maxCheckpointBytes": "[a bound on size](options.md#a-bound-on-size)",
  "PostgresSaverOptions.notify": "[watch](observability.md#watch)",
  "PostgresSaverOptions.grouping": "[calls at the same time](concurrency.md#calls-at-the-same-time)",
  "PostgresSaverOptions.splices": "[growth](growth.md)",
  "PostgresSaverOptions.spliceMemoryBytes": "[memory](growth.md#memory)",
  "PostgresSaverOptions.keepLast": "[retention](retention.md#at-every-put)",
  "PostgresSaverOptions.metadataFromConfig": "[threads](threads.md#find-threads)",
  "PostgresSaverOptions.replica": "[replicas](scale.md#replicas)",
  "PostgresStoreOptions.namespaces": "[in a graph](store.md#in-a-graph)",
  "PostgresStoreOptions.ttl": "[time to live](store.md#time-to-live)",
  "PostgresStoreOptions.index": "[search by meaning](store.md#search-by-meaning)",
  "PostgresStoreOptions.textSearchLanguage": "[search by text](store.md#search-by-text)",
  "PostgresStoreOptions.serde": "[encryption](store.md#encryption-changes-backups)",
  "PostgresStoreOptions.notify": "[changes](store.md#encryption-changes-backups)",
  "PostgresStoreOptions.ensureTables": "[first use](store.md#first-use)",
  INVALID_CONFIG: "[drivers](options.md#drivers)",
  BACKUP_REFUSED: "[increments](cli.md#increments)",
  ARCHIVE_FAILED: "[archive](archive.md)",
  CONCURRENT_MODIFICATION: "[how to fork](concurrency.md#optimistic-concurrency)",
  CLOCK_BEHIND: "[clocks](concurrency.md#clocks)",
  THREAD_COPY_FAILED: "[how a copy works](coming-from.md#how-a-copy-works)",
  SERIALIZATION_FAILED: "[what can be stored](trimming.md#store-only-what-can-be-stored)",
  CHECKPOINT_TOO_LARGE: "[a bound on size](options.md#a-bound-on-size)",
  DESERIALIZATION_FAILED:
    "[serializers and keys](encryption.md), and [unreadable values](when-something-is-wrong.md#unreadable-values)",
  BROKEN_CHAIN: "[splices](growth.md), and [what mends it](when-something-is-wrong.md#what-mends-a-finding)",
  CORRUPT_CHECKPOINT: "[what mends it](when-something-is-wrong.md#what-mends-a-finding)",
  WRITES_MISSING: "[what mends it](when-something-is-wrong.md#what-mends-a-finding)",
  VERSION_CONFLICT: "[versions and updates](store.md#versions-and-updates)",
  ITEM_SCHEMA: "[schemas](store.md#in-a-graph)",
  COPY_FAILED: "[copies](checkpoint-store.md#copy-to-another-store)",
  CONNECTION_FAILED: "[the wait for a connection](options.md#timeouts-and-signals)",
  STATEMENT_TIMEOUT: "[runs hang](when-something-is-wrong.md#runs-hang)",
  DISK_FULL: "[the disk is full](when-something-is-wrong.md#the-disk-is-full)",
  NOT_REPLICATED: "[limits](reliability.md#synchronous-replication)",
  PERMISSION_DENIED:
    "[privileges](migrations.md#privileges), and [what a tenant sees](tenants.md#what-a-saver-of-a-tenant-sees)",
  ROWS_HIDDEN: "[orphans](retention.md#orphans)",
  ROW_SECURITY_INACTIVE: "[the policies](tenants.md#set-it-up), and [Citus](scale.md#what-differs)",
  MIGRATION_FAILED:
    "[a dropped table](migrations.md#a-table-that-was-dropped), and [waits](migrations.md#which-one-to-use)",
  INCOMPATIBLE_TABLES: "[convert](migrations.md#tables-of-pythons-shallowpostgressaver)",
  "langgraph.checkpoint.waiting": "[calls that wait too long](observability.md#calls-that-wait-too-long)",
  "langgraph.checkpoint.healthy": "[health](observability.md#health)",
  "langgraph.checkpoint.clock_wait": "[clocks](concurrency.md#clocks)",
  "langgraph.checkpoint.splice.lookups": "[memory](growth.md#memory)",
  "langgraph.checkpoint.cache.entries": "[caches](cache.md)",
  "langgraph.checkpoint.stale_reads": "[replicas](scale.md#when-a-replica-is-not-read)",
  "langgraph.checkpoint.retention.duration": "[retention](retention.md#retention-that-runs-itself)",
};

const used = new Set<string>();

/** Returns a reference to the page that explains a row of a table; an empty text where there is none. */
export function seeAlso(key: string): string {
  const link = PAGES[key];
  if (link === undefined) return "";
  used.add(key);
  return `See ${link}`;
}

/** The keys that no table has asked for: what they named has another name now. */
export function unusedKeys(): string[] {
  return Object.keys(PAGES).filter((key) => !used.has(key));
}
