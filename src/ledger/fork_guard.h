#pragma once

namespace sotto::ledger {

// Something that must not be carried through fork() as it is: a database connection. SQLite's locks belong to
// a process, and two processes on one connection would damage the file; so a connection is closed before
// fork() and opened again, by need, in parent and child.
class ForkGuarded {
 public:
  ForkGuarded() = default;
  virtual ~ForkGuarded() = default;
  ForkGuarded(const ForkGuarded&) = delete;
  ForkGuarded& operator=(const ForkGuarded&) = delete;

  virtual void before_fork() = 0;  // take the locks, close the connection
  virtual void after_fork_in_parent() = 0;
  virtual void after_fork_in_child() = 0;

 protected:
  // The last thing that the constructor of a derived class does, and the first that its destructor does: from
  // join() to leave() the functions above may be called.
  void join();
  void leave() noexcept;
};

}  // namespace sotto::ledger
