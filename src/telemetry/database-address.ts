/** The address of a database, as far as it is known without asking the server. */
export interface DatabaseAddress {
  /** The name or address of the server, or the folder of its socket. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The name of the database. */
  readonly database?: string | undefined;
}
