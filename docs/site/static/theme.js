// Loads the players again with the theme that the reader has chosen for the page; without a choice both follow the browser.
addEventListener('DOMContentLoaded', () => {
  const follow = () => {
    const chosen = document.body.dataset.theme;
    for (const player of document.querySelectorAll('iframe.player')) {
      const address = player.src.split('#')[0] + (chosen === 'dark' || chosen === 'light' ? `#theme=${chosen}` : '');
      if (address === player.src) continue;
      const again = player.cloneNode();  // a new part after '#' alone would load nothing
      again.src = address;
      player.replaceWith(again);
    }
  };
  new MutationObserver(follow).observe(document.body, {attributeFilter: ['data-theme']});
  follow();
});
