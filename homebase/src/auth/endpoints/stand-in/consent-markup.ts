/** Owns the HTML of the provider's stand-in page: a pure function of its data. */
import { escapeHtml } from "../../../core/html.ts";

/** Provider names whose spelling is more than a capital first letter. */
const TITLES: Record<string, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  linkedin: "LinkedIn",
  linkedin_oidc: "LinkedIn",
  slack_oidc: "Slack",
  workos: "WorkOS",
  azure: "Microsoft",
  twitter: "X",
  x: "X",
};

/** An account to choose from. */
export interface Choice {
  /** The value that the form submits. */
  value: string;
  name: string;
  email: string;
  note: string;
}

/** The data of the page. */
export interface Consent {
  provider: string;
  /** Where the app is served, as shown on the page. */
  site: string;
  choices: Choice[];
  /** The submitted input, and its error. */
  typed?: { email: string; name: string; verified: boolean; error: string };
  style: string;
}

export function providerTitle(provider: string): string {
  return TITLES[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1);
}

export function initialOf(name: string): string {
  return ([...name.trim()][0] ?? "?").toUpperCase();
}

function choiceHtml({ value, name, email, note }: Choice): string {
  const title = name || email || "An account without address";
  const detail = [name ? email : "", note].filter(Boolean).join(" · ");
  return `<li><button class="account" name="account" value="${escapeHtml(value)}"><span class="initial" aria-hidden="true">${escapeHtml(initialOf(title))}</span><span><strong>${escapeHtml(title)}</strong><small>${escapeHtml(detail)}</small></span></button></li>`;
}

/** The whole page. */
export function consentHtml({ provider, site, choices, typed, style }: Consent): string {
  const title = escapeHtml(providerTitle(provider));
  const wrong = typed?.error
    ? `<p class="wrong" id="email-error" role="alert">${escapeHtml(typed.error)}</p>`
    : "";
  const invalid = typed?.error ? ' aria-invalid="true" aria-describedby="email-error" autofocus' : "";
  const verified = typed?.verified === false ? "" : " checked";
  const list =
    choices.length === 0
      ? ""
      : `<form method="post"><h2>Pick an account</h2><ul>${choices.map(choiceHtml).join("")}</ul></form>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in with ${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<header>
<h1>Sign in with ${title}</h1>
<p class="soft">Homebase plays ${title} here, so that sign-in to ${escapeHtml(site)} works without the internet. No password is asked for, and nothing leaves this machine.</p>
</header>
${list}
<form method="post" novalidate>
<h2>${choices.length === 0 ? "Make up an account" : "Or make up another one"}</h2>
<div class="fields">
<div><label for="email">E-mail address</label><input id="email" name="email" type="email" autocomplete="off" autocapitalize="off" spellcheck="false" value="${escapeHtml(typed?.email ?? "")}"${invalid}>${wrong}</div>
<div><label for="name">Name</label><input id="name" name="name" autocomplete="off" value="${escapeHtml(typed?.name ?? "")}"></div>
<label class="check"><input type="checkbox" name="verified" value="true"${verified}> ${title} has verified the address</label>
<button class="primary">Continue</button>
</div>
</form>
<form method="post"><button name="cancel" value="true">Cancel</button></form>
</main>
</body>
</html>
`;
}

/** An avatar with the name's first letter. */
export function avatarSvg(name: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96"><rect width="96" height="96" fill="#9a3412"/><text x="48" y="64" font-family="system-ui, sans-serif" font-size="46" text-anchor="middle" fill="#fff">${escapeHtml(initialOf(name))}</text></svg>`;
}
