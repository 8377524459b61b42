import type { DatabaseConnection, Driver, TransactionSettings } from "kysely";

/**
 * Lends a driver's only connection to one borrower at a time. Kysely's PGlite driver hands it to everyone at once, so
 * that a query from elsewhere would run inside a transaction that it has nothing to do with, and be rolled back with it.
 */
export class ExclusiveDriver implements Driver {
  readonly #driver: Driver;
  #released: Promise<void> = Promise.resolve();
  #release: () => void = noop;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  init(): Promise<void> {
    return this.#driver.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const previous = this.#released;
    let release = noop;
    this.#released = new Promise((resolve) => {
      release = resolve;
    });
    await previous;
    this.#release = release;
    try {
      return await this.#driver.acquireConnection();
    } catch (error) {
      release();
      throw error;
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const release = this.#release;
    await this.#driver.releaseConnection(connection);
    release();
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#driver.beginTransaction(connection, settings);
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.commitTransaction(connection);
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.rollbackTransaction(connection);
  }

  async destroy(): Promise<void> {
    await this.#released;
    await this.#driver.destroy();
  }
}

function noop(): void {
  // The first borrower has nobody to wait for.
}
