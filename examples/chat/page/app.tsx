import { useState } from "react";
import { ConversationView } from "./conversation.js";
import {
  deleteConversation,
  forget,
  readConversations,
  readMemories,
  UNTITLED,
  useHash,
  useRead,
} from "./server.js";

/** The list of conversations, what the assistant remembers, and one conversation. On a narrow screen the list is a page of its own. */
export function App() {
  const [hash, go] = useHash();
  const [conversations, readList] = useRead(readConversations, []);
  const [memories, readFacts] = useRead(readMemories, []);
  const [loads, setLoads] = useState(0);
  const threadId = hash === "" || hash === "new" ? null : hash;
  const refresh = (): void => {
    readList();
    readFacts();
  };
  const remove = async (id: string, title: string): Promise<void> => {
    if (!confirm(`Delete “${title}”?`)) return;
    await deleteConversation(id);
    if (id === threadId) go("");
    readList();
  };

  return (
    <main data-open={hash !== ""}>
      <div className="side">
        <h1>Chat</h1>
        <a className="button" href="#new">
          New conversation
        </a>
        <nav aria-label="Conversations">
          <ul>
            {conversations.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`} aria-current={id === threadId ? "page" : undefined}>
                  {title}
                </a>
                <button aria-label={`Delete ${title}`} onClick={() => void remove(id, title)}>
                  ×
                </button>
              </li>
            ))}
          </ul>
        </nav>
        {memories.length > 0 && (
          <section aria-label="What I remember">
            <h2>What I remember: my user …</h2>
            <ul>
              {memories.map((memory) => (
                <li key={memory.key}>
                  <span>{memory.fact}</span>
                  <button
                    aria-label={`Forget ${memory.fact}`}
                    onClick={() => void forget(memory).then(readFacts)}
                  >
                    ×
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
        <a href="/inspector/" target="_blank">
          Inspector
        </a>
      </div>
      <ConversationView
        key={loads}
        threadId={threadId}
        title={conversations.find(({ id }) => id === threadId)?.title ?? UNTITLED}
        onThreadId={go}
        onChange={refresh}
        onReload={() => {
          setLoads(loads + 1);
          refresh();
        }}
      />
    </main>
  );
}
