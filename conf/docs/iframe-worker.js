// Search in pages that are opened as files: browsers start no worker from file:, so one that runs
// in a hidden frame takes its place. Elsewhere nothing is changed.
(() => {
  if (location.protocol !== "file:") return;

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.waiting = []; // what is said before the script has run
      const own = this.inside.document;
      this.inside.postMessage = (data) =>
        this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => load(own, one)), Promise.resolve());
      load(own, url).then(() => {
        const said = this.waiting;
        this.waiting = null;
        said.forEach((data) => this.postMessage(data));
      });
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }
  }

  function load(page, url) {
    return new Promise((done, failed) => {
      const script = page.createElement("script");
      script.src = url;
      script.onload = done;
      script.onerror = failed;
      page.body.appendChild(script);
    });
  }

  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
})();
