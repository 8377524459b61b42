import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import { linkTo, linkToThread } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { ChainsSection } from "./chains-section.js";
import { MeasuredSection } from "./measured-section.js";
import { StepsSection } from "./steps-section.js";

interface OneThreadProps {
  readonly threadId: string;
  readonly namespace: string;
}

/** Measures a thread. */
export function OneThread({ threadId, namespace }: OneThreadProps) {
  const { data, error, refetch } = useRead("storage", { threadId, limit: 30 });
  return (
    <section>
      <h2>
        Thread <bdi>{threadId}</bdi>
      </h2>
      <p class="buttons">
        <a href={linkToThread({ threadId, namespace })}>Show the thread</a>
        <a href={linkTo("storage")}>All threads</a>
      </p>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the storage of the thread" />}
      {data !== undefined && (
        <>
          <MeasuredSection measured={data} threadId={threadId} />
          <StepsSection threadId={threadId} namespace={namespace} />
          <ChainsSection threadId={threadId} />
        </>
      )}
    </section>
  );
}
