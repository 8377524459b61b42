import { Failure, Loading } from "../../parts/read-state.js";
import { countText } from "../../parts/number-texts.js";
import { pathFromText } from "../../parts/value-tree/value-texts.js";
import { navigate } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import type { TabProps } from "./checkpoint-route.js";
import { MessageList } from "../../parts/conversation/message-list.js";
import { MESSAGES_AT_ONCE, type ShownConversation } from "../../parts/conversation/use-message.js";

/** The messages of a channel as a conversation. */
export function ConversationTab({ route: { place, params, linkToTab }, view: { conversations } }: TabProps) {
  const asked = params.get("channel");
  const channel = conversations.find((name) => name === asked) ?? conversations[0];
  if (channel === undefined) return null;
  const isNewestFirst = params.get("order") === "newest";
  const linkWith = (name: string, isNewest: boolean, path?: string): string =>
    linkToTab("conversation", { channel: name, order: isNewest ? "newest" : undefined, path });
  return (
    <>
      <div class="conversation-choices">
        {conversations.length > 1 && (
          <label>
            Channel{" "}
            <select
              value={channel}
              onChange={({ currentTarget }) => {
                navigate(linkWith(currentTarget.value, isNewestFirst));
              }}
            >
              {conversations.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <a href={linkWith(channel, !isNewestFirst)}>
          {isNewestFirst ? "Show the oldest first" : "Show the newest first"}
        </a>
      </div>
      <Messages
        key={`${channel} ${isNewestFirst}`}
        conversation={{ place, channel, linkTo: (path) => linkWith(channel, isNewestFirst, path) }}
        isNewestFirst={isNewestFirst}
        position={pathFromText(params.get("path"))?.at(-1)}
      />
    </>
  );
}

interface MessagesProps {
  readonly conversation: ShownConversation;
  readonly isNewestFirst: boolean;
  /** The position of the message that the address names. */
  readonly position: number | undefined;
}

function Messages({ conversation, isNewestFirst, position }: MessagesProps) {
  const { place, channel } = conversation;
  const first = { ...place, channel, offset: 0, limit: MESSAGES_AT_ONCE };
  const { data, error, refetch } = useRead("conversation", first);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the conversation" />;
  return (
    <>
      <p class="dim" role="status">
        {countText(data.total, "message")}
        {data.isRebuilt === true && ", rebuilt from writes: the graph stores no list of them"}
      </p>
      <MessageList {...{ conversation, isNewestFirst, position }} total={data.total} />
    </>
  );
}
