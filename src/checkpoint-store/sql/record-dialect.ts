import type { Expression, RawBuilder, SqlBool } from "kysely";
import type { StatementDialect } from "../../db/statements/statement-dialect.js";

/** What differs between the databases in the statements of a checkpoint store. */
export interface RecordDialect {
  readonly statements: StatementDialect;
  /** What the column of the metadata has where there is none. */
  readonly noMetadata: string | null;
  /** Converts a parameter with JSON text to the type of the column. */
  readonly toJson: <T>(text: RawBuilder<T>) => RawBuilder<T>;
  /** Converts a column with JSON to text. */
  readonly fromJson: (column: Expression<unknown>) => RawBuilder<string>;
  /** Whether {@link fromJson} and {@link fromTime} take time. */
  readonly convertsColumns: boolean;
  /** Converts a parameter, as {@link timeText} returns it, to the type of the column. */
  readonly toTime: (text: RawBuilder<string>) => RawBuilder<string>;
  /** Converts the column of the time to a text, as {@link parseTime} takes it. */
  readonly fromTime: (column: Expression<unknown>) => RawBuilder<string>;
  /** An id as it is compared and sorted: by its bytes. */
  readonly bytesOf: (id: Expression<string>) => Expression<string>;
  /** Returns the text that stores a time. */
  readonly timeText: (time: Date) => string;
  /** Returns the time of a stored text. It is invalid where the text is no time. */
  readonly parseTime: (text: string) => Date;
  /** Where times are texts with a time zone, so that their order may differ from that of the texts. */
  readonly zoned?: ZonedTimes;
}

/** How to sort times that are texts. */
export interface ZonedTimes {
  /** Whether a time is in another zone than UTC. */
  readonly isElsewhere: (column: Expression<unknown>) => RawBuilder<SqlBool>;
  /** What to sort by: the time itself. No index has it. */
  readonly instantOf: (column: Expression<unknown>) => RawBuilder<unknown>;
}
