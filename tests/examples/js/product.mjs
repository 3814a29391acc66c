// What is tested: a product that confirms senders, and tries again when the service is away.

export class Product {
  constructor({ url, apiKey }) {
    this.url = url;
    this.headers = { "api-key": apiKey };
  }

  async confirm(sender, code) {
    const body = JSON.stringify({ otp: code });
    const answer = await fetch(`${this.url}/senders/${sender}/validate`, { method: "PUT", headers: this.headers, body });
    return answer.ok ? "confirmed" : (await answer.json()).code;
  }

  async senders() {
    for (;;) {
      const answer = await fetch(`${this.url}/senders`, { headers: this.headers });
      if (answer.status !== 503) return (await answer.json()).senders;
    }
  }
}
