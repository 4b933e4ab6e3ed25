// Owns the inbox page: lists mails, shows one, and follows changes. The mail in the address's fragment is
// the one shown, so that back, forward and reload work.
const list = document.querySelector("#mails");
const none = document.querySelector("#none");
const pane = document.querySelector("#mail");
const field = document.querySelector("#search");
const badge = document.querySelector("#unread");

/** An element with properties and children; text is never read as HTML. */
function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

/** What a mail would load from another server, which would tell its sender that it was read. */
const REMOTE = /\b(?:src|srcset|background)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i;

const addresses = (people) => people.map(({ Name, Address }) => Name || Address).join(", ");
const when = (time) => new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

async function renewList() {
  const query = field.value.trim();
  const path = query ? `search?query=${encodeURIComponent(query)}` : "messages?limit=200";
  const answer = await (await fetch(`/api/v1/${path}`)).json();
  badge.textContent = String(answer.unread);
  badge.hidden = answer.unread === 0;
  document.title = answer.unread > 0 ? `(${answer.unread}) Inbox` : "Inbox";
  none.textContent = query ? "No mail fits the search." : "No mail yet. What your app sends arrives here.";
  none.hidden = answer.messages.length > 0;
  const current = location.hash.slice(1);
  list.replaceChildren(
    ...answer.messages.map((mail) => {
      const entry = element(
        "a",
        { href: `#${mail.ID}`, className: mail.Read ? "entry" : "entry unread" },
        element("strong", { textContent: mail.Subject || "(no subject)" }),
        element(
          "small",
          {},
          element("span", { textContent: addresses(mail.To) }),
          element("time", { textContent: when(mail.Created) }),
        ),
      );
      if (mail.ID === current) entry.setAttribute("aria-current", "true");
      return element("li", {}, entry);
    }),
  );
}

let shown = "";

async function showMail() {
  const id = location.hash.slice(1);
  document.body.classList.toggle("reading", id !== "");
  if (id === shown) return;
  shown = id;
  pane.replaceChildren();
  if (id === "") return;
  const path = `/api/v1/message/${encodeURIComponent(id)}`;
  const [found, hints] = await Promise.all([fetch(path), fetch(`${path}/actions`)]);
  if (shown !== id) return;
  if (!found.ok) {
    pane.replaceChildren(element("p", { className: "none", textContent: "This mail is gone." }));
    return;
  }
  const mail = await found.json();
  const { code, links } = await hints.json();
  pane.replaceChildren(heading(mail, code, links), bodyOf(mail, "html"));
}

function heading(mail, code, links) {
  const actions = element("div", { className: "actions" });
  if (code) {
    const copy = element("button", { type: "button", title: "Copy the code" });
    copy.append(element("span", { className: "code", textContent: code }), " Copy");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code);
      copy.lastChild.textContent = " Copied";
    });
    actions.append(copy);
  }
  for (const link of links) {
    const anchor = element("a", {
      className: "link",
      href: "#",
      target: "_blank",
      rel: "noopener",
      title: link,
    });
    if (/^(https?|mailto):/i.test(link)) anchor.href = link;
    anchor.append(element("span", { textContent: link }));
    actions.append(anchor);
  }
  const other = element("button", { type: "button", textContent: "Plain text" });
  other.addEventListener("click", () => {
    const plain = pane.querySelector("iframe") !== null;
    pane.lastChild.replaceWith(bodyOf(mail, plain ? "text" : "html"));
    other.textContent = plain ? "HTML" : "Plain text";
  });
  actions.append(other);
  if (REMOTE.test(mail.HTML)) {
    const pictures = element("button", { type: "button", textContent: "Show pictures" });
    pictures.addEventListener("click", () => {
      pane.lastChild.replaceWith(bodyOf(mail, "html", "?pictures"));
      other.textContent = "Plain text";
      pictures.remove();
    });
    actions.append(pictures);
  }
  const back = element("button", { type: "button", className: "back", textContent: "All mails" });
  back.addEventListener("click", () => {
    location.hash = "";
  });
  return element(
    "header",
    {},
    back,
    element("h2", { textContent: mail.Subject || "(no subject)" }),
    element(
      "div",
      { className: "facts" },
      element("span", { textContent: `To ${addresses(mail.To)}` }),
      element("span", { textContent: `From ${addresses([mail.From])}` }),
      element("time", { textContent: when(mail.Date) }),
    ),
    actions,
  );
}

function bodyOf(mail, kind, query = "") {
  if (kind === "text") return element("pre", { textContent: mail.Text });
  const frame = element("iframe", { title: "The mail", src: `/view/${mail.ID}.html${query}` });
  frame.setAttribute("sandbox", "allow-popups allow-popups-to-escape-sandbox");
  return frame;
}

field.addEventListener("input", () => void renewList());
document.querySelector("#empty").addEventListener("click", async () => {
  await fetch("/api/v1/messages", { method: "DELETE" });
  location.hash = "";
});
addEventListener("hashchange", () => {
  void showMail();
  void renewList();
});
new EventSource("/api/events").addEventListener("change", () => void renewList());
await Promise.all([renewList(), showMail()]);
