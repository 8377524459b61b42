/** The tables that an operation uses. */
export interface TableUse {
  /** The first table that it uses. */
  readonly table: string;
  /** Whether it uses no other table. */
  readonly isOnlyTable?: true;
  /** Whether no wait of it is too long: its caller decides how long it waits, or nobody waits for it. */
  readonly mayTakeAnyTime?: true;
}

/** An operation of a class, as spans, metrics and logs show it. */
export interface ObservedOperation extends TableUse {
  readonly name: string;
}

/** Names the operations of a class. Metrics are kept per operation and table, so both are few. */
export function operationsOf<Name extends string, Use extends TableUse = TableUse>(
  uses: Readonly<Record<Name, NoInfer<Use>>>,
): Readonly<Record<Name, Use & ObservedOperation>> {
  const operations: Partial<Record<Name, Use & ObservedOperation>> = {};
  for (const name in uses) operations[name] = { ...uses[name], name };
  return operations as Record<Name, Use & ObservedOperation>;
}
