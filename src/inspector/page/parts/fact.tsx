import type { ComponentChildren } from "preact";

interface FactProps {
  readonly name: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A fact in a list of facts. It is left out where it is unknown. */
export function Fact({ name, children }: FactProps) {
  if (children === undefined || children === false || children === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
