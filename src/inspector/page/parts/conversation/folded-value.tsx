import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { ValueTree } from "../value-tree/value-tree.js";

interface FoldedValueProps {
  readonly place: ValuePlace;
  readonly label: string;
  readonly path: ValuePath;
  /** The summary. */
  readonly children: ComponentChildren;
}

/** A part of the stored value as a tree, which is read when it is opened. */
export function FoldedValue({ place, label, path, children }: FoldedValueProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>{children}</summary>
      {isOpen && <ValueTree label={label} place={place} from={path} />}
    </details>
  );
}
