import { CopyAction } from "./copy-action.js";
import { DeleteAction } from "./delete-action.js";
import { PruneAction } from "./prune-action.js";

/** What can be done with a thread. */
export function ThreadActions({ threadId }: { readonly threadId: string }) {
  return (
    <>
      <CopyAction threadId={threadId} />
      <PruneAction threadId={threadId} />
      <DeleteAction threadId={threadId} />
    </>
  );
}
