/** Defaults of Postgres that an estimate assumes. */
export const POSTGRES = {
  pageBytes: 8_192,
  /** `checkpoint_timeout`, in seconds. */
  checkpointSeconds: 300,
  /** `max_connections`, less `superuser_reserved_connections`. */
  connections: 97,
  /** `autovacuum_vacuum_scale_factor`: the share of dead rows at which a vacuum starts. */
  deadShare: 0.2,
  /** `autovacuum_freeze_max_age`: the transactions after which a table is vacuumed in any case. */
  freezeAge: 200_000_000,
  /** What autovacuum does in a second: `autovacuum_vacuum_cost_limit` 200 in each `autovacuum_vacuum_cost_delay` of 2 ms. */
  vacuumCostPerSecond: 100_000,
  /** `vacuum_cost_page_miss` since version 14, for a page that is read. */
  readCost: 2,
  /** `vacuum_cost_page_dirty`, for a page that is changed. */
  changeCost: 20,
} as const;
