import { ConfirmAction } from "../../parts/actions/confirm-action.js";
import { namespaceTitle } from "./cache-links.js";

interface ClearNamespaceProps {
  readonly namespace: string;
  readonly labels: readonly string[] | undefined;
}

/** Deletes the entries of a namespace. */
export function ClearNamespaceAction({ namespace, labels }: ClearNamespaceProps) {
  return (
    <ConfirmAction
      label="Clear…"
      title="Clear this namespace"
      sentence={
        <>
          All entries of <bdi class="mono">{namespaceTitle(namespace, labels)}</bdi> are deleted; graphs
          compute these results again when they need them. The namespaces below it stay.
        </>
      }
      submit="Clear"
      call="clearCacheNamespace"
      args={{ namespace }}
    />
  );
}
