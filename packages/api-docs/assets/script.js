for (const block of document.querySelectorAll('pre.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select and copy';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  block.append(button);
}
const menu = document.getElementById('menu');
const links = new Map();
for (const link of document.querySelectorAll('nav a')) {
  links.set(link.hash.slice(1), link);
  link.addEventListener('click', () => {
    menu.checked = false;
  });
}
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute('aria-current');
      const link = links.get(entry.target.id);
      if (!link) continue;
      link.setAttribute('aria-current', 'true');
      link.scrollIntoView({ block: 'nearest' });
    }
  },
  { rootMargin: '-15% 0px -75% 0px' },
);
for (const section of document.querySelectorAll('main section')) observer.observe(section);
