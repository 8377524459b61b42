import { Failure } from "../../parts/failure.js";
import { formatCount } from "../../parts/numbers.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { Time } from "../../parts/time.js";
import { linkToThread, type Route } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";

/** The list of threads. */
export function ThreadsPage({ route }: { readonly route: Route }) {
  const search = route.params.get("search") ?? undefined;
  const { data, error } = useRead("threads", { search });
  if (error !== null) return <Failure error={error} />;
  return (
    <>
      <h1>Threads</h1>
      <table>
        <thead>
          <tr>
            <th scope="col">Thread</th>
            <th scope="col">State</th>
            <th scope="col">Last activity</th>
            <th scope="col">Checkpoints</th>
          </tr>
        </thead>
        <tbody>
          {data?.threads.map((thread) => (
            <tr key={thread.threadId}>
              <th scope="row">
                <a href={linkToThread({ threadId: thread.threadId, namespace: "" })}>
                  <bdi>{thread.threadId}</bdi>
                </a>
              </th>
              <td>
                <StatusBadge {...thread} />
              </td>
              <td>
                <Time at={thread.updatedAt} />
              </td>
              <td>{formatCount(thread.checkpoints)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
