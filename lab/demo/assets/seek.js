// Half a second earlier, so that the object is seen before it is gone.
function seek(element, seconds) {
  const video = element.closest('figure').querySelector('video');
  if (video) { video.currentTime = Math.max(0, seconds - 0.5); video.play(); }
}
for (const button of document.querySelectorAll('[data-seek]'))
  button.onclick = () => seek(button, Number(button.dataset.seek));
for (const track of document.querySelectorAll('svg.track'))
  track.onclick = event => {
    const box = track.getBoundingClientRect(), video = track.closest('figure').querySelector('video');
    if (video) seek(track, 0.5 + video.duration * (event.clientX - box.left) / box.width);
  };
