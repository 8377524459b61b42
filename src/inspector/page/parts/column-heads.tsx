import type { ComponentChildren } from "preact";

interface ColumnHeadsProps {
  readonly titles: readonly string[];
  /** What else the row has. */
  readonly children?: ComponentChildren;
}

/** The head of a table. */
export function ColumnHeads({ titles, children }: ColumnHeadsProps) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
        {children}
      </tr>
    </thead>
  );
}
