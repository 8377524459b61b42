/** The longest time to live, 1,900 years. Postgres has no dates for times that are much longer. */
export const MAX_TTL_MINUTES = 1_000_000_000;
