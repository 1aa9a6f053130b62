#pragma once

#include <EGL/egl.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

// snippet: begin seam-gl-thread | OpenGL on a thread of its own: every GL call goes through one queue
// snippet: placeholders GlThread
// A context is current per thread, implicitly: an own thread leaves the embedder's GL state alone.
class GlThread {
 public:
  // Needs EGL_KHR_surfaceless_context. Delegates first, so that a failure still joins the thread.
  GlThread(EGLDisplay display, EGLContext context) : GlThread(display) {
    run([=] {
      if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        throw std::runtime_error("the GL context is current on another thread or lost");
    }).get();
  }
  ~GlThread() {
    run([this] {  // behind all submitted work
      eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      stop_ = true;
    });
    worker_.join();
  }

  // Runs `work` on the GL thread, in order. An exception reaches the caller through the future.
  std::future<void> run(std::function<void()> work) {
    std::packaged_task<void()> task(std::move(work));
    std::future<void> done = task.get_future();
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    wake_.notify_one();
    return done;
  }

 private:
  explicit GlThread(EGLDisplay display) : display_(display), worker_([this] { loop(); }) {}
  void loop();  // see seam-gl-thread-loop
  EGLDisplay display_;
  bool stop_ = false;  // touched by the worker only
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<void()>> tasks_;
  std::thread worker_;  // last: it uses the members above
};
// snippet: end

// snippet: begin seam-gl-thread-loop | The loop of seam-gl-thread
// snippet: placeholders GlThread
inline void GlThread::loop() {
  while (!stop_) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return !tasks_.empty(); });
    std::packaged_task<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();  // others may queue work while this runs
    task();
  }
}
// snippet: end
