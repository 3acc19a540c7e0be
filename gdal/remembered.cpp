#include "remembered.h"

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <mutex>

#include <cpl_multiproc.h>

#ifdef _WIN32
#include <cstdlib>
#else
#include <unistd.h>
#endif

namespace cfa_gdal
{

namespace
{

// What is remembered at a time: so many answers, and so many bytes of questions. An answer has a few times the bytes of
// its question at most.
constexpr size_t MOST_ANSWERS = 64;
constexpr size_t MOST_BYTES = 4 * 1024 * 1024;

void AddAll(std::string &out, CSLConstList list)
{
    for (; list != nullptr && *list != nullptr; ++list)
        out.append(*list).push_back('\0');
    out.push_back('\0');
}

// All of them, since any may change an answer, in one version of GDAL or another.
std::string SettingsNow()
{
    std::string all;
    AddAll(all, CPLStringList(CPLGetConfigOptions()).List());
    AddAll(all, CPLStringList(CPLGetThreadLocalConfigOptions()).List());
#ifdef _WIN32
    AddAll(all, _environ);
#else
    AddAll(all, environ);
#endif
    return all;
}

// The answers of a process, the last used one first.
class Memory
{
  public:
    const int process = CPLGetCurrentProcessID();

    bool Recall(const Question &question, PlainRaster &answer)
    {
        std::lock_guard<std::mutex> lock(m_mutex);
        const auto known = Find(question);
        if (known == m_answers.end())
            return false;
        m_answers.splice(m_answers.begin(), m_answers, known);
        // A copy: a reference system must not be used by two threads at once.
        answer = known->second;
        return true;
    }

    void Remember(Question question, const PlainRaster &answer)
    {
        std::lock_guard<std::mutex> lock(m_mutex);
        if (question.Size() > MOST_BYTES || Find(question) != m_answers.end())
            return;
        m_bytes += question.Size();
        m_answers.emplace_front(std::move(question), answer);
        while (m_answers.size() > MOST_ANSWERS || m_bytes > MOST_BYTES)
        {
            m_bytes -= m_answers.back().first.Size();
            m_answers.pop_back();
        }
    }

  private:
    using Answers = std::list<std::pair<Question, PlainRaster>>;

    Answers::iterator Find(const Question &question)
    {
        return std::find_if(m_answers.begin(), m_answers.end(), [&](const auto &known) { return known.first == question; });
    }

    std::mutex m_mutex{};
    Answers m_answers{};
    size_t m_bytes = 0;
};

// A process made by fork starts with nothing: another thread of its parent may have held the lock. The memory is never
// freed: files may still be opened while the process ends.
Memory &OfThisProcess()
{
    static std::atomic<Memory *> current{nullptr};
    const int process = CPLGetCurrentProcessID();
    Memory *known = current.load();
    while (known == nullptr || known->process != process)
    {
        auto made = std::make_unique<Memory>();
        if (current.compare_exchange_strong(known, made.get()))
            known = made.release();
    }
    return *known;
}

} // namespace

Question::Question(std::vector<GByte> file) : m_file(std::move(file)), m_settings(SettingsNow())
{
}

bool Recall(const Question &question, PlainRaster &answer)
{
    return OfThisProcess().Recall(question, answer);
}

void Remember(Question question, const PlainRaster &answer)
{
    OfThisProcess().Remember(std::move(question), answer);
}

} // namespace cfa_gdal
